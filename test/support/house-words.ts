// The words behind test/words.test.ts. docs/glossary.md defines the terms; this file lists words that are no longer
// used, and words that belong to one area.

/** A word that identifiers may not have, or only in some folders of src/. */
export type WordRule = {
  /** Matches one word of an identifier, in lower case. */
  readonly word: RegExp
  /** The word to use. */
  readonly instead: string
  /** Paths that may have it. */
  readonly only?: RegExp
}

/** Words that names in code, SQL and fields may not contain, so that one word has one meaning. */
export const identifierWords: readonly WordRule[] = [
  { word: /^(?:told|tell|tells|telling|tellings)$/, instead: 'report, reported; print or describe for output' },
  { word: /^repeat(?:s|ed|ing)?$/, instead: 'alreadyKnown or duplicateOf' },
  { word: /^und(?:o|oes|one|oing)$/, instead: 'reverse, unassign or withdraw' },
  { word: /^anew$/, instead: 'again' },
  {
    word: /^plac(?:e|es|ed|ing)$/,
    instead: 'position or number (of notifications), location (of a sealed column), cursor (of a list)',
    only: /\.css$/,
  },
  { word: /^kopecks?$/, instead: 'minor units' },
  {
    word: /^settl(?:e|es|ed|ing|ement|ements)$/,
    instead: 'credit (a payment); settle is the payout to a merchant',
    only: /^(?:site\/|src\/(?:engine\/(?:ledger|merchants|transfers\/outgoing|invariants|search|simulation|notifications)\/|rules\/(?:merchants|money|members|notices|sandbox)\/|rules\/(?:refusal|transfers\/outgoing)\.ts|operations\/|http\/|cli\/))/,
  },
  {
    word: /^statements?$/,
    instead: 'query (a SQL text)',
    // PostgreSQL's protocol calls a prepared query a statement.
    only: /^(?:packages\/bank-files\/|site\/|src\/(?!engine\/(?:payments|merchants|risk|audit|notifications)\/))/,
  },
]

/** Names of PostgreSQL and Node.js that code uses unchanged. */
export const namesOfOthers: readonly string[] = [
  'repeat',
  'preparedStatements',
  'statement_timeout',
  'statement_timestamp',
  'log_min_error_statement',
  'allSettled',
]

/** A phrase that prose may not have. */
export type PhraseRule = { readonly phrase: RegExp; readonly instead: string }

/** Phrases that no comment, text, title or document may contain. */
export const phrases: readonly PhraseRule[] = [
  { phrase: /\bunless told\b/i, instead: 'default: …' },
  { phrase: /\btold\b/i, instead: 'reported, said' },
  { phrase: /\btell(?:s|ing)? of\b/i, instead: 'reports' },
  { phrase: /\banew\b/i, instead: 'again' },
  { phrase: /\bbeside\b/i, instead: 'next to, besides' },
  { phrase: /\bbehind (?:a|the|that|this) (?:place|position|cursor|number|row|line|event)\b/i, instead: 'after' },
  { phrase: /\bmend(?:s|ed|ing)?\b/i, instead: 'fix' },
  { phrase: /\bso (?:many|long)\b/i, instead: 'up to N, this long' },
  { phrase: /\bby itself\b/i, instead: 'automatically' },
  { phrase: /\bstands (?:for|in|there|still|above|below|next)\b/i, instead: 'is' },
  { phrase: /\bheads\b/i, instead: 'headers' },
  { phrase: /\bsorts? of\b/i, instead: 'kind, type' },
  { phrase: /\bis none of\b/i, instead: 'is not' },
  {
    phrase: /(?<!there )\bis no (?:file|statement|transfer|payment|id|number|status|date|time|form|name)\b/i,
    instead: 'is not a …',
  },
  { phrase: /\bwhat came of\b/i, instead: 'result of' },
  { phrase: /\bhow requisites do\b/i, instead: 'account health' },
  { phrase: /\bthe very\b/i, instead: 'the same' },
]

import { SaxesParser } from 'saxes'
import {
  findPhone,
  refuseLine,
  type RowKind,
  type StatementEntry,
  type StatementParser,
  type StatementRow,
  type StatementSink,
  tidyText,
  told,
} from '../../domain/statement.ts'

type Node = { readonly name: string; readonly currency: string | null; text: string; readonly children: Node[] }

/** Deepest nesting of elements; real messages have less than twenty. */
const maxDepth = 64
/** Longest run of characters without a tag. */
const maxRun = 256 * 1024
/** Most single payments of one booking. */
const maxDetails = 100_000
/** Most elements of one that are kept at once: of a booking those beside its payments, or those of one payment. */
const maxNodes = 20_000
/** Most characters of one booking with all its payments: 64 MB of memory at the worst. */
const maxCharacters = 32 * 1024 * 1024
/** Most balances of one statement. */
const maxBalances = 1000
/** Shorter references of entries are numbers within a file; banks' own are longer. */
const minEntryReference = 8

/** Elements that are kept whole until they end. */
const kept = new Set(['Acct', 'Bal', 'Ntry', 'TxDtls'])
const containers = new Set(['Stmt', 'Ntfctn', 'Rpt'])
const messages = /camt\.05[234]\.001\.\d\d/

const find = (node: Node | undefined, ...path: readonly string[]): Node | undefined =>
  path.reduce<Node | undefined>((at, name) => at?.children.find((child) => child.name === name), node)

const textOf = (node: Node | undefined, ...path: readonly string[]): string | null =>
  tidyText(find(node, ...path)?.text)

const allTexts = (node: Node | undefined, names: ReadonlySet<string>): string[] =>
  node === undefined
    ? []
    : [...(names.has(node.name) ? [node.text] : []), ...node.children.flatMap((child) => allTexts(child, names))]

type Detail = Pick<StatementRow, 'reference' | 'number' | 'payerName' | 'payerNumber' | 'payerBank' | 'text'> & {
  readonly amount: string | null
  readonly currency: string | null
  readonly isCredit: boolean | null
  readonly phone: string | null
  readonly referenceKind: 'detail' | 'uetr'
  readonly uetr: string | null
}

const wordsOfRemittance = new Set(['Ustrd', 'Ref', 'AddtlRmtInf', 'RfrdDocNb', 'Nb'])

// What banks write where there is no reference.
const noReference = /^(?:NOTPROVIDED|NOT PROVIDED|NONREF|NOREF|-+|0+)$/i
const reference = (text: string | null): string | null => (text === null || noReference.test(text) ? null : text)

const readDetail = (node: Node): Detail => {
  const parties = find(node, 'RltdPties')
  const debtor = find(parties, 'Dbtr', 'Pty') ?? find(parties, 'Dbtr')
  const account = find(parties, 'DbtrAcct', 'Id')
  const bank = find(node, 'RltdAgts', 'DbtrAgt', 'FinInstnId')
  const amount = find(node, 'Amt') ?? find(node, 'AmtDtls', 'TxAmt', 'Amt')
  const direction = textOf(node, 'CdtDbtInd')
  const said = [...allTexts(find(node, 'RmtInf'), wordsOfRemittance), textOf(node, 'AddtlTxInf') ?? '']
  const refs = find(node, 'Refs')
  const own = reference(textOf(refs, 'AcctSvcrRef'))
  const uetr = reference(textOf(refs, 'UETR'))
  return {
    amount: tidyText(amount?.text),
    currency: amount?.currency ?? null,
    isCredit: direction === null ? null : direction === 'CRDT',
    reference: own ?? uetr,
    referenceKind: own === null ? 'uetr' : 'detail',
    uetr,
    number: reference(textOf(refs, 'EndToEndId')) ?? reference(textOf(refs, 'InstrId')),
    payerName: textOf(debtor, 'Nm'),
    phone: textOf(debtor, 'CtctDtls', 'MobNb') ?? textOf(debtor, 'CtctDtls', 'PhneNb'),
    payerNumber: textOf(account, 'IBAN') ?? textOf(account, 'Othr', 'Id'),
    payerBank: told(
      textOf(bank, 'ClrSysMmbId', 'MmbId'),
      textOf(bank, 'BICFI') ?? textOf(bank, 'BIC'),
      textOf(bank, 'Nm'),
    ),
    text: tidyText(said.join(' ')),
  }
}

const amountPattern = /^\d{1,18}(?:\.\d{1,10})?$/
const toScaled = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(10, '0'))
}

const kindOf = (status: string | null, isReversal: boolean): RowKind => {
  if (status !== null && status !== 'BOOK') return 'pending'
  return isReversal ? 'reversal' : 'booked'
}

/** The payments that a booking is made of, where they are told with amounts that add up to its own. */
const partsOf = (details: readonly Detail[], amount: string, currency: string | null): readonly Detail[] => {
  if (details.length < 2) return []
  let sum = 0n
  for (const detail of details) {
    if (detail.amount === null || !amountPattern.test(detail.amount) || detail.currency !== currency) return []
    sum += toScaled(detail.amount)
  }
  return sum === toScaled(amount) ? details : []
}

/** What tells a payment of a booking from the others: its own reference where no other has it, else its place. */
const referencesOf = (parts: readonly Detail[], entryReference: string | null): { text: string; kind: string }[] => {
  const counts = new Map<string, number>()
  for (const text of parts.flatMap((part) => told(part.reference, part.uetr === part.reference ? null : part.uetr)))
    counts.set(text, (counts.get(text) ?? 0) + 1)
  const isOwn = (text: string | null): text is string =>
    text !== null && text !== entryReference && counts.get(text) === 1
  return parts.map(({ reference: own, referenceKind, uetr }, index) => {
    if (isOwn(own)) return { text: own, kind: referenceKind }
    if (isOwn(uetr)) return { text: uetr, kind: 'uetr' }
    const shared = entryReference ?? own
    return { text: shared === null ? '' : `${shared}/${index + 1}`, kind: 'part' }
  })
}

/** The booking by which a sum and its parts in another file find each other. */
const entryOf = (entry: Node, amount: string): { entry: StatementEntry } | undefined => {
  const certain = reference(textOf(entry, 'AcctSvcrRef'))
  const name = certain ?? reference(textOf(entry, 'NtryRef'))
  if (name === null || (certain === null && name.length < minEntryReference)) return undefined
  return { entry: { reference: name, amount, isCertain: certain !== null } }
}

const readEntry = (
  entry: Node,
  details: readonly Detail[],
  place: { line: number; account: string | null },
  sink: StatementSink,
): void => {
  const { line, account } = place
  const money = find(entry, 'Amt')
  const amount = tidyText(money?.text)
  const direction = textOf(entry, 'CdtDbtInd')
  const booked = ['BookgDt', 'ValDt'].flatMap(
    (name) => textOf(entry, name, 'DtTm') ?? textOf(entry, name, 'Dt') ?? [],
  )[0]
  if (amount === null || !amountPattern.test(amount)) return sink.fault(line, 'The entry has no amount (Amt).')
  if (direction !== 'CRDT' && direction !== 'DBIT')
    return sink.fault(line, 'The entry does not say whether it is a credit or a debit (CdtDbtInd).')
  if (booked === undefined) return sink.fault(line, 'The entry has no booking date (BookgDt).')
  // A row of nothing, such as a note of the bank, moves no money.
  if (/^[0.]+$/.test(amount)) return
  const currency = money?.currency ?? null
  const entryReference = reference(textOf(entry, 'AcctSvcrRef'))
  const note = textOf(entry, 'AddtlNtryInf')
  const kind = kindOf(
    textOf(entry, 'Sts', 'Cd') ?? textOf(entry, 'Sts', 'Prtry') ?? textOf(entry, 'Sts'),
    /^(?:true|1)$/.test(textOf(entry, 'RvslInd') ?? ''),
  )
  const base = { line, account, kind, currency, booked, direction: direction === 'CRDT' ? 'credit' : 'debit' } as const
  const booking = entryOf(entry, amount)
  const toRow = (
    detail: Detail | undefined,
    own: string,
    bankReference: string | null,
    referenceKind: string,
  ): StatementRow => ({
    ...base,
    ...booking,
    amount: own,
    reference: bankReference,
    ...(bankReference === null ? {} : { referenceKind }),
    number: detail?.number ?? null,
    payerName: detail?.payerName ?? null,
    payerNumber: detail?.phone ?? findPhone(detail?.text ?? note) ?? detail?.payerNumber ?? null,
    payerBank: detail?.payerBank ?? [],
    text: detail?.text ?? note,
  })
  const parts = partsOf(details, amount, currency)
  if (parts.length === 0) {
    const only = details.length === 1 ? details[0] : undefined
    const isOwn = only !== undefined && only.reference !== null && only.reference !== entryReference
    return sink.row(toRow(only, amount, only?.reference ?? entryReference, isOwn ? only.referenceKind : 'entry'))
  }
  const references = referencesOf(parts, entryReference)
  parts.forEach((part, index) => {
    const { text = '', kind: referenceKind = 'part' } = references[index] ?? {}
    sink.row(toRow(part, part.amount ?? '', text === '' ? null : text, referenceKind))
  })
}

const signed = (balance: Node): string | null => {
  const amount = textOf(balance, 'Amt')
  if (amount === null || !amountPattern.test(amount)) return null
  return textOf(balance, 'CdtDbtInd') === 'DBIT' ? `-${amount}` : amount
}

const codeOf = (balance: Node): string | null => textOf(balance, 'Tp', 'CdOrPrtry', 'Cd')

/**
 * Reads camt.052, camt.053 and camt.054 of every version (ISO 20022). Entries of several payments whose amounts are told
 * become a row for each. Document types and entities of a file's own are refused.
 */
export const parseCamt = (sink: StatementSink): StatementParser => {
  const parser = new SaxesParser({ xmlns: false, position: true })
  const open: string[] = []
  let building: Node[] = []
  let account: string | null = null
  let accountCurrency: string | null = null
  let balances: Node[] = []
  let details: Detail[] = []
  let entryLine = 0
  let nodes = 0
  let nodesBefore = 0
  let characters = 0
  let isMessage = false
  let statements = 0
  let lastEvent = 0

  // What is kept outside of an entry is an account or a balance, which is refused where it grew too large.
  const keptLine = (): number => (building[0]?.name === 'Ntry' ? entryLine : parser.line)

  const endStatement = (): void => {
    statements++
    const opening = balances.find((each) => ['OPBD', 'PRCD'].includes(codeOf(each) ?? ''))
    const closing = balances.findLast((each) => codeOf(each) === 'CLBD')
    const [from, to] = [opening, closing].map((each) => find(each, 'Amt')?.currency ?? null)
    if (opening && closing && from !== to) {
      sink.fault(parser.line, `The opening balance is in ${from ?? 'no currency'}, the closing one in ${to ?? 'none'}.`)
    } else {
      sink.balance({
        line: parser.line,
        account,
        currency: from ?? to ?? accountCurrency,
        opening: opening ? signed(opening) : null,
        closing: closing ? signed(closing) : null,
        closedOn: (closing && (textOf(closing, 'Dt', 'Dt') ?? textOf(closing, 'Dt', 'DtTm')))?.slice(0, 10) ?? null,
        credits: null,
        debits: null,
      })
    }
    account = null
    accountCurrency = null
    balances = []
  }

  const endKept = (node: Node): void => {
    if (node.name === 'TxDtls') {
      details.push(readDetail(node))
      nodes = nodesBefore
      if (details.length > maxDetails) throw refuseLine(entryLine, 'The entry has more payments than can be read.')
      // Its parts are known now; the entry need not carry them.
      building.at(-1)?.children.pop()
    } else if (node.name === 'Ntry') {
      readEntry(node, details, { line: entryLine, account }, sink)
      details = []
    } else if (node.name === 'Bal') {
      balances.push(node)
      if (balances.length > maxBalances)
        throw refuseLine(parser.line, `The statement has more than ${maxBalances} balances.`)
    } else if (node.name === 'Acct') {
      account = textOf(node, 'Id', 'IBAN') ?? textOf(node, 'Id', 'Othr', 'Id')
      accountCurrency = textOf(node, 'Ccy')?.toLowerCase() ?? null
      if (account === null) sink.fault(parser.line, 'The statement does not name its account (Acct).')
    }
  }

  parser.on('doctype', () => {
    throw refuseLine(parser.line, 'The file declares a document type (DOCTYPE), which no statement needs.')
  })
  parser.on('error', (error) => {
    const what = error.message.replace(/^\d+:\d+:\s*/, '')
    throw refuseLine(parser.line, `The XML is not well-formed: ${what}`)
  })
  parser.on('opentag', ({ name: full, attributes }) => {
    lastEvent = parser.position
    const name = full.slice(full.indexOf(':') + 1)
    open.push(name)
    if (open.length > maxDepth) throw refuseLine(parser.line, `Elements are nested deeper than ${maxDepth} levels.`)
    if (name === 'Document') isMessage = Object.values(attributes).some((value) => messages.test(value))
    const parent = building.at(-1)
    const top = containers.has(open.at(-2) ?? '')
    if (top && name === 'Ntry') entryLine = parser.line
    if (!parent && !(top && kept.has(name))) return
    const node: Node = { name, currency: attributes['Ccy']?.trim().toLowerCase() ?? null, text: '', children: [] }
    parent?.children.push(node)
    building.push(node)
    if (name === 'TxDtls') nodesBefore = nodes
    characters += name.length + (node.currency?.length ?? 0)
    if (characters > maxCharacters) throw refuseLine(keptLine(), 'The entry has more text than can be read.')
    if (++nodes > maxNodes)
      throw refuseLine(
        keptLine(),
        `The entry has more than ${maxNodes} elements outside of its payments, or in one of them.`,
      )
  })
  const keepText = (text: string): void => {
    const node = building.at(-1)
    if (!node || node.text.length >= 10_000) return
    node.text += text
    characters += text.length
    if (characters > maxCharacters) throw refuseLine(keptLine(), 'The entry has more text than can be read.')
  }
  parser.on('text', (text) => {
    lastEvent = parser.position
    keepText(text)
  })
  parser.on('cdata', keepText)
  parser.on('closetag', () => {
    lastEvent = parser.position
    const name = open.pop() ?? ''
    const node = building.pop()
    if (node && (building.length === 0 || node.name === 'TxDtls')) endKept(node)
    if (!node && containers.has(name)) endStatement()
    if (building.length === 0) {
      building = []
      nodes = 0
      characters = 0
    }
  })
  return {
    write: (text) => {
      parser.write(text)
      if (parser.position - lastEvent > maxRun) throw refuseLine(parser.line, 'A text in the file is far too long.')
    },
    end: () => {
      const last = parser.line
      parser.close()
      if (!isMessage) throw refuseLine(1, 'The XML is no camt.052, camt.053 or camt.054 message.')
      if (statements === 0) throw refuseLine(last, 'The message has no statement in it.')
    },
  }
}

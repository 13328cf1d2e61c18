// The tables behind test/tidy.test.ts: who may import whom, where each package belongs, who writes and reads which
// table. If a rule gets in the way, change it here and say why.

/** What a folder of src/, or an area, may import; everything else is refused. */
export type Allowed = {
  /** Folders, or single files as their path in src/ without `.ts`. */
  readonly from?: readonly string[]
  /** The same, but only with `import type`. */
  readonly types?: readonly string[]
  readonly node?: true
  /** Package names or scopes; for `any`, only the rules about drivers and frameworks below apply. */
  readonly npm?: readonly string[] | 'any'
}

/** The areas in src/engine/, and those that each may import: one way, so that each is understood without those built on it. */
export const areas: Readonly<Record<string, readonly string[]>> = {
  audit: [],
  decisions: [],
  merchants: [],
  notifications: [],
  requisites: ['audit', 'merchants'],
  invariants: ['audit'],
  ledger: ['merchants', 'notifications'],
  risk: ['audit', 'merchants'],
  sandbox: ['merchants', 'requisites'],
  payments: ['audit', 'ledger', 'merchants', 'notifications', 'requisites', 'risk', 'sandbox'],
  transfers: ['decisions', 'ledger', 'merchants', 'notifications', 'payments', 'requisites', 'risk'],
  disputes: ['ledger', 'merchants', 'payments', 'transfers'],
  simulation: [
    ...['disputes', 'ledger', 'merchants', 'notifications', 'payments', 'phones', 'requisites', 'sandbox', 'transfers'],
  ],
  statements: ['audit', 'ledger', 'requisites', 'transfers'],
  phones: ['ledger', 'requisites', 'transfers'],
  attention: ['installation', 'invariants', 'ledger', 'merchants', 'phones', 'requisites'],
  search: ['merchants', 'request-log', 'requisites', 'statements', 'transfers'],
  alerts: ['attention'],
  links: ['merchants', 'payments', 'requisites'],
  installation: [],
  members: ['audit'],
  'token-uses': [],
  'request-log': [],
  // It seals everything again, with one step for each area's tables.
  'key-rotation': [
    'alerts',
    'disputes',
    'installation',
    'members',
    'notifications',
    'payments',
    'phones',
    'requisites',
    'risk',
    'search',
    'statements',
    'transfers',
  ],
}

/** Packages that only one area needs. */
const areaPackages: Readonly<Record<string, readonly string[]>> = {
  phones: ['bank-messages'],
  members: ['better-auth', '@better-auth/passkey'],
}

/** What use cases may import from the technical folders; they reach everything else through the context. */
const useCaseTools = [
  'bring-back',
  'catalog',
  'coalesce',
  'for-each-alone',
  'service-state',
  'let-others-run',
  'secrets/access-token',
  'secrets/webhook-secret',
  'secrets/hashes',
  'secrets/file-cipher',
  'secrets/one-time-code',
  'secrets/one-time-token',
  'secrets/sealed-text',
]

/** The folders of src/rules/; each knows those before it, and what lies directly in src/rules/ knows none. */
export const ruleFolders: readonly string[] = [
  ...['', 'values', 'merchants', 'members', 'money', 'requisites', 'payments', 'statements', 'transfers', 'notices'],
  ...['phones', 'sandbox', 'search'],
]

const edge = [...Object.keys(areas), 'rules', 'context', 'secrets']

/** Who may import what: one row for every folder of src/, and for each area. */
export const allowed: Readonly<Record<string, Allowed | 'everything'>> = {
  // Hashes are pure, and so are the checksums of addresses.
  rules: { from: ['rules'], npm: ['@noble/hashes', 'bank-files'] },
  store: {
    from: ['rules', 'held-slots', 'money-sql', 'engine/invariants/invariant', 'engine/invariants/changed/narrow'],
    npm: ['payin-database', 'bank-files'],
  },
  ...Object.fromEntries(
    Object.entries(areas).map(([area, others]): [string, Allowed] => [
      area,
      {
        from: ['rules', 'context', area, ...others, ...useCaseTools],
        types: ['secrets', 'metrics'],
        npm: ['payin-database', 'bank-files', ...(areaPackages[area] ?? [])],
      },
    ]),
  ),
  secrets: { from: ['rules', 'secrets'], node: true },
  // What the context is made of.
  catalog: { from: ['rules'], npm: ['payin-database'] },
  changes: { from: ['rules'], npm: ['payin-database'] },
  coalesce: { from: ['rules'], npm: ['payin-database'] },
  'bring-back': { from: ['rules'], types: ['context'], npm: ['payin-database'] },
  'for-each-alone': {},
  'service-state': { npm: ['payin-database'] },
  'held-slots': {},
  'money-sql': { from: ['rules'] },
  'let-others-run': { node: true },
  gateways: { from: ['rules', 'gateways'], node: true, npm: ['undici', 'nodemailer', 'aws4fetch', 'imapflow', 'ssh2'] },
  // What can be asked of the API: declarations that the command line and the console load without the service.
  operations: { from: ['rules', 'operations'], npm: ['typebox', 'bank-files'] },
  http: { from: [...edge, 'operations', 'http', 'settings', 'metrics'], types: ['tracing'], node: true, npm: 'any' },
  metrics: { from: ['metrics'], npm: ['@prometheus-io/client'] },
  tracing: { from: ['tracing'], npm: ['@opentelemetry/api', 'payin-database'] },
  cli: {
    from: ['rules', 'operations', 'cli', 'settings', 'gateways/sign-webhook', 'http/access/operator-mark', 'secrets'],
    types: ['http'],
    node: true,
    // Exports and imports work without a service, because an empty database has none.
    npm: ['commander', 'csv-parse', 'payin-database', 'bank-files'],
  },
  settings: { from: ['rules', 'secrets', 'settings'], node: true },
  context: {
    from: ['rules', 'secrets', 'catalog', 'changes'],
    types: ['settings', 'gateways', 'metrics', 'tracing'],
    node: true,
    npm: ['uuid', 'pino', 'payin-database'],
  },
  process: 'everything',
  main: 'everything',
}

/** Folders of src/http/ that all others share; each knows those before it. */
const shared = ['errors', 'routes', 'access', 'answers']

/** The folders of src/http/, and the folders that each may import; `server.ts` combines them. */
export const httpFolders: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(shared.map((folder, index) => [folder, shared.slice(0, index)])),
  'bank-feed': shared,
  phones: shared,
  console: shared,
  // What was built in site/.
  docs: shared,
  health: shared,
  metrics: [...shared, 'health'],
  // Work of the server around every request.
  server: shared,
  // Operations on endpoints and deliveries, which both APIs have.
  notifications: shared,
  'merchant-api': [...shared, 'links', 'notifications'],
  'operator-api': [...shared, 'links', 'notifications', 'sandbox'],
  'payment-page': shared,
  // Operations on payment links, which both APIs have.
  links: [...shared, 'notifications'],
  // The document about all routes.
  openapi: [...shared, 'notifications', 'server'],
  sandbox: shared,
}

/** Paths in src/ from which the console may `import type`: the answers of the operator API. */
export const consoleTypes: readonly string[] = ['http/', 'operations/', 'rules/']

/** Paths from which it may import values: declarations, and pure code that also works in a browser. */
export const consoleValues: readonly string[] = ['operations/', 'rules/']

/** Paths from which what builds the documentation may import values: rules, and how a build is made. */
export const siteValues: readonly string[] = ['src/rules/', 'scripts/build-once']

/** The file from which it may `import type`: what the service searches in. */
export const siteTypes: readonly string[] = ['src/http/docs/search-pages']

/** The area that reads bank files; all others, and the console, only import `bank-files/pure`. */
export const fileReader = 'statements'

/** The folders that open and migrate the database; all others only declare and run queries. */
export const databaseOpeners: readonly string[] = ['process', 'cli', 'main']

/** Packages that belong in one folder, whatever the table above says. */
export const onlyIn: readonly { packages: readonly string[]; folder: string }[] = [
  { packages: ['pg', '@electric-sql'], folder: 'packages/database' },
  { packages: ['fastify', '@fastify'], folder: 'http' },
  { packages: ['@prometheus-io'], folder: 'metrics' },
  { packages: ['@opentelemetry'], folder: 'tracing' },
  { packages: ['marked', 'highlight.js'], folder: 'site' },
]

/** The area that writes a table, and the areas that read it, besides the writer and those of `readsEverything`. */
export type TableRule = { readonly writer: string; readonly readers?: readonly string[] }

/** Areas that read everything and change nothing outside themselves. */
export const readsEverything: readonly string[] = ['attention', 'invariants']

/** Every table of the schema: one writer, named readers. */
export const tables: Readonly<Record<string, TableRule>> = {
  service_state: { writer: 'service-state' },
  catalog_versions: { writer: 'catalog' },
  merchants: {
    writer: 'merchants',
    readers: [...['disputes', 'ledger', 'notifications', 'payments', 'requisites', 'risk', 'search', 'transfers']],
  },
  merchant_terms: { writer: 'merchants' },
  currency_limits: { writer: 'merchants' },
  access_tokens: { writer: 'merchants' },
  rates: { writer: 'merchants' },
  rate_sources: { writer: 'merchants' },
  rate_fetches: { writer: 'merchants' },
  rate_proposals: { writer: 'merchants' },
  rate_overrides: { writer: 'merchants' },
  bank_issuers: { writer: 'requisites' },
  requisites: { writer: 'requisites', readers: ['ledger', 'payments', 'search', 'statements', 'transfers'] },
  slots: { writer: 'requisites', readers: ['ledger', 'links', 'payments'] },
  past_slots: { writer: 'requisites', readers: ['ledger', 'links', 'payments'] },
  payments: {
    writer: 'payments',
    readers: ['disputes', 'ledger', 'links', 'notifications', 'requisites', 'risk', 'search', 'transfers'],
  },
  payment_events: { writer: 'payments' },
  payment_hours: { writer: 'payments' },
  payment_hour_changes: { writer: 'payments' },
  payment_hours_progress: { writer: 'payments' },
  outbox: { writer: 'notifications', readers: ['installation'] },
  payment_acknowledgements: { writer: 'payments' },
  transfers: { writer: 'transfers', readers: ['statements', 'ledger', 'requisites', 'search'] },
  transfer_parts: { writer: 'transfers', readers: ['ledger', 'search', 'statements'] },
  suspense_cases: { writer: 'transfers', readers: ['requisites'] },
  ledger_postings: { writer: 'ledger' },
  ledger_balances: { writer: 'ledger', readers: ['transfers'] },
  audit_entries: { writer: 'audit' },
  audit_head: { writer: 'audit' },
  simulated_steps: { writer: 'sandbox' },
  simulated_bookings: { writer: 'simulation' },
  merchant_logos: { writer: 'merchants' },
  payer_claims: { writer: 'disputes' },
  payer_receipts: { writer: 'disputes' },
  event_counters: { writer: 'notifications', readers: ['installation', 'requisites'] },
  queued_notifications: { writer: 'notifications', readers: ['installation'] },
  notification_endpoints: { writer: 'notifications' },
  delivery_lanes: { writer: 'notifications' },
  deliveries: { writer: 'notifications', readers: ['installation'] },
  delivery_attempts: { writer: 'notifications' },
  disputes: { writer: 'disputes', readers: ['ledger'] },
  dispute_events: { writer: 'disputes' },
  dispute_evidence: { writer: 'disputes' },
  risk_blocks: { writer: 'risk' },
  risk_rules: { writer: 'risk' },
  risk_payers: { writer: 'risk' },
  risk_uses: { writer: 'risk' },
  risk_decisions: { writer: 'risk' },
  requisite_pauses: { writer: 'requisites' },
  statement_sources: { writer: 'statements' },
  statement_accounts: { writer: 'requisites', readers: ['statements'] },
  picked_files: { writer: 'statements', readers: ['attention'] },
  statements: { writer: 'statements', readers: ['installation', 'transfers'] },
  statement_numbers: { writer: 'statements' },
  statement_rows: { writer: 'statements', readers: ['transfers'] },
  phones: { writer: 'phones' },
  phone_messages: { writer: 'phones' },
  message_templates: { writer: 'phones' },
  transfer_reversals: { writer: 'transfers', readers: ['ledger', 'statements'] },
  destinations: { writer: 'ledger' },
  settlements: { writer: 'ledger', readers: ['search'] },
  settlement_events: { writer: 'ledger' },
  report_mails: { writer: 'ledger' },
  refunds: { writer: 'transfers', readers: ['ledger', 'attention'] },
  refund_events: { writer: 'transfers' },
  overpayment_decisions: { writer: 'transfers', readers: ['ledger'] },
  ledger_adjustments: { writer: 'ledger' },
  closing_balances: { writer: 'ledger' },
  opening_balances: { writer: 'ledger' },
  transfer_reports: { writer: 'transfers' },
  outgoing_transfers: { writer: 'transfers', readers: ['ledger', 'search', 'statements'] },
  outgoing_rules: { writer: 'transfers' },
  search_entries: { writer: 'transfers', readers: ['search'] },
  decisions: { writer: 'decisions' },
  decision_results: { writer: 'decisions' },
  payment_notes: { writer: 'payments' },
  locked_terms: { writer: 'payments', readers: ['ledger'] },
  payment_links: { writer: 'links' },
  payment_link_uses: { writer: 'links' },
  members: { writer: 'members' },
  member_sessions: { writer: 'members' },
  member_credentials: { writer: 'members' },
  member_verifications: { writer: 'members' },
  member_second_factors: { writer: 'members' },
  member_passkeys: { writer: 'members' },
  member_request_counts: { writer: 'members' },
  member_invitations: { writer: 'members' },
  member_lockouts: { writer: 'members' },
  outgoing_keys: { writer: 'transfers', readers: ['statements'] },
  alert_rules: { writer: 'alerts' },
  alert_channels: { writer: 'alerts' },
  alert_incidents: { writer: 'alerts' },
  alert_messages: { writer: 'alerts', readers: ['installation'] },
  alert_notices: { writer: 'alerts' },
  token_uses: { writer: 'token-uses' },
  merchant_requests: { writer: 'request-log' },
  verified_history: { writer: 'invariants' },
  verified_balances: { writer: 'invariants' },
  verified_positions: { writer: 'invariants' },
  key_rotations: { writer: 'key-rotation' },
  key_rotation_steps: { writer: 'key-rotation' },
}

/**
 * Queries that write tables of another area: creating a payment is one query, so that its slot and its first event are
 * written with it or not at all.
 */
export const foreignWrites: Readonly<Record<string, readonly string[]>> = {
  insert_payment: ['slots', 'past_slots'],
  insert_payments: ['slots', 'past_slots'],
  insert_sharing_payments: ['slots', 'past_slots'],
}

/** Files that have columns of their own, and why they are not declared in src/operations/. */
export const ownColumns: Readonly<Record<string, string>> = {
  'src/http/operator-api/ledger.ts': 'the journal, which is no page of a list',
}

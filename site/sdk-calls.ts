/** The parameters of a sample: those of the path, and the body and the query as TypeScript. */
type Given = Readonly<Record<string, string>>

const order = ({ orderId = '' }: Given): string => `'${orderId}'`
const endpoint = ({ endpointId = '' }: Given): string => `'${endpointId}'`
const link = ({ linkId = '' }: Given): string => `'${linkId}'`
const log = (call: string): string => `console.log(await ${call})`
const each = (name: string, list: string): string => `for await (const ${name} of ${list}) console.log(${name})`

/** How the SDK calls an operation. One that is not here has no sample in TypeScript. */
export const sdkCalls: Readonly<Record<string, (given: Given) => string>> = {
  getOwnMerchant: () => log('payin.me()'),
  listCurrencies: () => log('payin.payments.currencies()'),
  listBankIssuers: () => log('payin.payments.bankIssuers()'),
  createPayment: ({ body }) => log(`payin.payments.create(${body})`),
  listPayments: () => each('payment', "payin.payments.list({ status: 'paid' })"),
  exportOwnPayments: () => log('payin.payments.csv()'),
  getPaymentStatus: (given) => log(`payin.payments.status(${order(given)})`),
  acknowledgePayment: () => log("payin.payments.ack('order-1001')"),
  getPayment: (given) => log(`payin.payments.get(${order(given)})`),
  getOwnPaymentTimeline: (given) => log(`payin.payments.timeline(${order(given)})`),
  cancelPayment: () => log("payin.payments.cancel('order-1001')"),
  createLink: ({ body }) => log(`payin.links.create(${body})`),
  listLinks: () => each('link', 'payin.links.list()'),
  exportOwnLinks: () => log('payin.links.csv()'),
  getLink: (given) => log(`payin.links.get(${link(given)})`),
  closeLink: (given) => log(`payin.links.close(${link(given)})`),
  requestRefund: (given) => log(`payin.refunds.create(${order(given)}, ${given['body']})`),
  listRefunds: () => each('refund', 'payin.refunds.list()'),
  exportOwnRefunds: () => log('payin.refunds.csv()'),
  getRefund: ({ id = '' }) => log(`payin.refunds.get('${id}')`),
  cancelRefund: ({ id = '' }) => log(`payin.refunds.cancel('${id}')`),
  openDispute: (given) => log(`payin.disputes.open(${order(given)}, ${given['body']})`),
  getDispute: (given) => log(`payin.disputes.get(${order(given)})`),
  withdrawDispute: (given) => log(`payin.disputes.withdraw(${order(given)})`),
  addDisputeEvidence: (given) =>
    `import { readFile } from 'node:fs/promises'\n\n${log(`payin.disputes.addEvidence(${order(given)}, new Blob([await readFile('receipt.png')], { type: 'image/png' }))`)}`,
  listEvents: () => log('payin.events()'),
  listEndpoints: () => log('payin.endpoints.list()'),
  exportOwnEndpoints: () => log('payin.endpoints.csv()'),
  createEndpoint: ({ body }) => log(`payin.endpoints.create(${body})`),
  getEndpoint: (given) => log(`payin.endpoints.get(${endpoint(given)})`),
  updateEndpoint: (given) => log(`payin.endpoints.update(${endpoint(given)}, ${given['body']})`),
  removeEndpoint: (given) => log(`payin.endpoints.remove(${endpoint(given)})`),
  rotateEndpointSecret: (given) => log(`payin.endpoints.rotate(${endpoint(given)})`),
  testEndpoint: (given) => log(`payin.endpoints.test(${endpoint(given)})`),
  listDeliveries: (given) => each('delivery', `payin.endpoints.deliveries(${endpoint(given)})`),
  exportOwnDeliveries: (given) => log(`payin.endpoints.deliveriesCsv(${endpoint(given)})`),
  getDelivery: (given) => log(`payin.endpoints.delivery(${endpoint(given)}, '${given['eventId']}')`),
  redeliver: (given) => log(`payin.endpoints.redeliver(${endpoint(given)}, '${given['eventId']}')`),
  redeliverSince: (given) =>
    log(`payin.endpoints.redeliverSince(${endpoint(given)}, new Date(Date.now() - 3_600_000))`),
  createListener: () => log('payin.listeners.create()'),
  takeDeliveries: (given) => log(`payin.listeners.take(${endpoint(given)})`),
  listRequests: () => log('payin.requests.page()'),
  exportOwnRequests: () => log('payin.requests.csv()'),
  getRequest: ({ id = '' }) => log(`payin.requests.get('${id}')`),
  getBalance: () => log('payin.balance.get()'),
  listEntries: () => each('entry', 'payin.balance.entries()'),
  exportOwnEntries: () => log('payin.balance.entriesCsv()'),
  getAccountStatement: ({ query }) => log(`payin.balance.statement(${query || '{}'})`),
  listSettlements: () => each('settlement', 'payin.balance.settlements()'),
  exportOwnSettlements: () => log('payin.balance.settlementsCsv()'),
  readSettlement: ({ id = '' }) => log(`payin.balance.settlement('${id}')`),
  listDestinations: () => each('destination', 'payin.balance.destinations()'),
  exportOwnDestinations: () => log('payin.balance.destinationsCsv()'),
  turnSandboxClock: ({ body }) => log(`payin.sandbox.turnClock(${body})`),
  getSandboxStatement: ({ query }) => log(`payin.sandbox.statement(${query || '{}'})`),
  simulatePayment: (given) => log(`payin.sandbox.simulate(${order(given)}, ${given['body']})`),
}

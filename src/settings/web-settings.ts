import { addressList, hostName, oneOf, settingsOf, webAddress, wholeNumber } from './setting-kinds.ts'

export const webSettings = settingsOf('Web', {
  port: {
    name: 'PORT',
    kind: wholeNumber(0, 65_535),
    default: '8080',
    doc: 'TCP port that the service listens on; 0 takes any free one.',
  },
  host: {
    name: 'HOST',
    kind: hostName,
    default: '127.0.0.1',
    doc: 'Address that the service listens on; 0.0.0.0 listens on every IPv4 interface, as containers need.',
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    kind: webAddress,
    default: 'http://localhost:{PORT}',
    requiredInProduction: true,
    fix: 'set the address that payers open, such as https://pay.example.com',
    doc: 'Address at which payers and merchants reach the service, the start of every link; https in production.',
  },
  console: {
    name: 'PAYIN_CONSOLE',
    kind: oneOf(['build', 'serve', 'off']),
    default: 'build',
    doc: 'The console of operators at /console: `build` builds it after the start if its sources are there and have changed, `serve` only serves what was built, and so the documentation at /docs, `off` does without.',
  },
  trustProxy: {
    name: 'PAYIN_TRUST_PROXY',
    kind: addressList,
    default: '',
    doc: 'Reverse proxies whose X-Forwarded-* headers are trusted: IP addresses or CIDR ranges, separated by commas.',
  },
  rateLimit: {
    name: 'PAYIN_RATE_LIMIT',
    kind: wholeNumber(0, 1_000_000),
    default: '2000',
    doc: 'Requests per second that one access token may make; 0 means no limit.',
  },
  requestLogDays: {
    name: 'PAYIN_REQUEST_LOG_DAYS',
    kind: wholeNumber(0, 365),
    default: '14',
    doc: 'Days for which merchants can look up the requests of their programs; 0 keeps none.',
  },
  messageDays: {
    name: 'PAYIN_MESSAGE_DAYS',
    kind: wholeNumber(1, 365),
    default: '30',
    doc: "Days for which the texts of banks' messages from phones are kept; what was read from them stays.",
  },
  pageRateLimit: {
    name: 'PAYIN_PAGE_RATE_LIMIT',
    kind: wholeNumber(0, 1_000_000),
    default: '3000',
    doc: 'Requests per minute for payer pages that one address may make; 0 means no limit. Mobile networks share addresses.',
  },
  pageStreams: {
    name: 'PAYIN_PAGE_STREAMS',
    kind: wholeNumber(0, 1_000_000),
    default: '500',
    doc: 'Payer pages that one address may keep open with live updates; further ones poll instead; 0 means no limit.',
  },
  linkUnpaidPerAddress: {
    name: 'PAYIN_LINK_UNPAID_PER_ADDRESS',
    kind: wholeNumber(0, 1_000_000),
    default: '10',
    doc: 'Amounts that unpaid payments of links hold on accounts for one address, canceled and expired payments included; 0 means no limit. Mobile networks share addresses.',
  },
  linkUnpaid: {
    name: 'PAYIN_LINK_UNPAID',
    kind: wholeNumber(0, 1_000_000),
    default: '200',
    doc: 'Amounts that unpaid payments of one payment link hold on accounts, canceled and expired payments included; 0 means no limit.',
  },
  connections: {
    name: 'PAYIN_CONNECTIONS',
    kind: wholeNumber(0, 1_000_000),
    default: '20000',
    doc: 'Connections that the service keeps open, fewer if the limit of open files (ulimit -n) is too low for them and the database; further ones are closed immediately; 0: as many as that limit allows.',
  },
  connectionsPerAddress: {
    name: 'PAYIN_CONNECTIONS_PER_ADDRESS',
    kind: wholeNumber(0, 1_000_000),
    default: '4000',
    doc: 'Connections that one address may have open, an IPv6 /64 counting as one; 0 means no limit. Proxies of PAYIN_TRUST_PROXY may have all.',
  },
})

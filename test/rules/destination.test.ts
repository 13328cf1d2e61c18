// Addresses of destinations: which ones are right, how they are spelled, and when a destination is ready.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour } from '../../src/rules/time.ts'
import { Refusal } from '../../src/rules/refusal.ts'
import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import {
  approvedDestination,
  type Destination,
  type DestinationKind,
  destinationKinds,
  destinationRules,
  destinationStatus,
  isMistakable,
  readAddress,
  refuseUnready,
  spellLabel,
} from '../../src/rules/money/destination.ts'

/** Addresses that others have published: EIP-55, ISO 13616 and its registry, blocks of TRON. */
const right: readonly (readonly [DestinationKind, string, string?])[] = [
  ['tron', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
  ['tron', ' T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb\n', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
  ['tron', 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7'],
  ['ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['ethereum', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
  ['ethereum', '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB'],
  ['ethereum', '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'],
  // The checksum of these has letters of one size only.
  ['ethereum', '0x52908400098527886E0F7030069857D2E4169EE7'],
  ['ethereum', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
  ['ethereum', '0xde709f2102306220921060314715629080e2fb77'],
  ['ethereum', '0x27b1fdb04752bbc536007a920d24acb045561c26'],
  ['iban', 'DE89370400440532013000'],
  ['iban', 'gb82 west 1234 5698 7654 32', 'GB82WEST12345698765432'],
  ['iban', 'MT84MALT011000012345MTLCAST001S'],
  ['iban', 'NO9386011117947'],
  ['iban', 'KZ86125KZT5004100100'],
  ['ru-account', '40702810200000000001/044525225'],
  ['ru-account', ' 40702810200000000001 044525225', '40702810200000000001/044525225'],
]

test('published addresses are right, and have one spelling', () => {
  for (const [kind, typed, address = typed] of right) assert.deepEqual(readAddress(kind, typed), { address }, typed)
  for (const kind of destinationKinds) {
    const { example } = destinationRules[kind]
    assert.deepEqual(readAddress(kind, example), { address: example })
  }
})

const digits = '0123456789'.split('')
const letters = 'ABCDEFGHJKMNPabcdefghjkmnp'.split('')
/** What a person may type instead of a sign. */
const mistypings = (address: string, at: number): string[] => {
  const sign = address[at] ?? ''
  const others = digits.includes(sign) ? digits : letters
  return others.filter((other) => other !== sign).map((other) => address.slice(0, at) + other + address.slice(at + 1))
}

test('a wrong, missing or additional sign, and two that were swapped, are found', () => {
  for (const [kind, typed, address = typed] of right) {
    const wrong = address.split('').flatMap((_, at) => mistypings(address, at))
    const lengths = address
      .split('')
      .flatMap((sign, at) => [
        address.slice(0, at) + address.slice(at + 1),
        address.slice(0, at) + sign + address.slice(at),
      ])
    const swapped = address.split('').flatMap((sign, at) => {
      const next = address[at + 1]
      return next === undefined || next === sign ? [] : [address.slice(0, at) + next + sign + address.slice(at + 2)]
    })
    const accepted = [...wrong, ...lengths, ...swapped].filter((each) => {
      const read = readAddress(kind, each)
      return 'address' in read && read.address !== address
    })
    // The case of letters is a few bits of checksum. An IBAN with a zero more or less may be right, but not for a bank,
    // which knows its length; the key of an account has only the last three digits of the BIC, and most others belong to
    // no bank.
    const most = { tron: 0, ethereum: 25, iban: 2, 'ru-account': 50 }[kind]
    assert.ok(
      accepted.length <= most,
      `${address}: ${accepted.length} of ${wrong.length + swapped.length}: ${accepted.join()}`,
    )
  }
})

const refused: readonly (readonly [DestinationKind, string, RegExp])[] = [
  ['tron', 'TRC20 TXyz…', /^must be an address of TRON with a right checksum/],
  ['tron', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', /^must be an address of TRON/],
  // An address of Bitcoin has another version, and so has one of TRON's test network.
  ['tron', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT', /^must be an address of TRON/],
  ['tron', '27Lqcw1kB4ZRBxHbrgHNRfjXHhwFSZ7uDrs', /^must be an address of TRON/],
  ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', /^is the contract of USDT/],
  ['ethereum', '0xdAC17F958D2ee523a2206206994597C13D831ec7', /^is the contract of USDT/],
  [
    'ethereum',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    /^has no checksum in letters of one size: .* as wallets show/,
  ],
  ['ethereum', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED', /^has no checksum in letters of one size/],
  ['ethereum', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', /^must be an address of Ethereum/],
  ['ethereum', '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', /^must be an address of Ethereum/],
  ['iban', 'DE88370400440532013000', /^must be an IBAN with right check digits/],
  ['iban', 'DE00370400440532013000', /^must be an IBAN/],
  ['ru-account', '40702810200000000001', /^must be the 20 digits/],
  ['ru-account', '40702810200000000001/044525974', /^must be the 20 digits/],
  ['ru-account', '30101810400000000225/044525225', /^must be the 20 digits/],
  ['ru-account', '40702810200000000001/044525225/1', /^must be the 20 digits/],
]

for (const [kind, typed, fault] of refused)
  test(`${kind} refuses ${typed}`, () => {
    const read = readAddress(kind, typed)
    assert.match('fault' in read ? read.fault : 'accepted', fault)
  })

test('each digit of an account is in its key', () => {
  for (let key = 0; key < 10; key++) {
    const account = `40702810${key}00000000001`
    const isRight = account === withAccountKey(account, '044525225')
    assert.equal('address' in readAddress('ru-account', `${account}/044525225`), isRight)
  }
})

test('a destination is ready from the end of its cooling time until it is retired', () => {
  const proposed: Destination = {
    ...{ merchantId: 'm', id: 'd', kind: 'tron', address: destinationRules.tron.example, label: 'Main' },
    ...{
      requestedBy: null,
      proposedBy: 'anna',
      proposedAt: 0,
      approvedBy: null,
      readyAt: null,
      retiredBy: null,
      retiredAt: null,
    },
  }
  const approved = { ...proposed, approvedBy: 'boris', readyAt: 1000 }
  const retired = { ...approved, retiredBy: 'anna', retiredAt: 3000 }
  const cases = [
    [{ ...proposed, proposedBy: null }, 2000, 'requested', /is not approved yet/],
    [proposed, 2000, 'proposed', /is not approved yet/],
    [approved, 999, 'cooling', /may be used from 1970-01-01T00:00:01\.000Z on/],
    [approved, 1000, 'ready', undefined],
    [retired, 3000, 'retired', /is retired/],
    [{ ...proposed, retiredBy: 'anna', retiredAt: 1 }, 3000, 'retired', /is retired/],
  ] as const
  for (const [destination, now, status, why] of cases) {
    assert.equal(destinationStatus(destination, now), status)
    const refusal = refuseUnready(destination, now)
    if (why === undefined) assert.equal(refusal, undefined)
    else assert.match(refusal?.message ?? '', why)
  }
})

test('who approves what a merchant asks for is its author, and alone only where nobody else could', () => {
  const requested: Destination = {
    ...{ merchantId: 'm', id: 'd', kind: 'tron', address: destinationRules.tron.example, label: 'Main' },
    ...{ requestedBy: 'merchant:m', proposedBy: null, proposedAt: 0, approvedBy: null, readyAt: null },
    ...{ retiredBy: null, retiredAt: null },
  }
  const by = (actor: string, mayAlone: boolean) => ({ actor, mayAlone, coolingHours: 1 })
  const taken = approvedDestination(requested, by('anna', false), 5)
  assert.deepEqual(taken, { ...requested, proposedBy: 'anna' })
  assert.ok(!(taken instanceof Refusal))
  const again = approvedDestination(taken, by('anna', false), 6)
  assert.equal(again instanceof Refusal && again.code, 'second_person_required')
  const approved = { proposedBy: 'anna', approvedBy: 'boris', readyAt: 7 + hour }
  assert.deepEqual(approvedDestination(taken, by('boris', false), 7), { ...requested, ...approved })
  const alone = { proposedBy: 'anna', approvedBy: 'anna', readyAt: 5 + hour }
  assert.deepEqual(approvedDestination(requested, by('anna', true), 5), { ...requested, ...alone })
})

test('labels that look alike, or have the address of another destination, are mistakable', () => {
  const main = { label: 'Main wallet', address: destinationRules.tron.example }
  const other = (label: string) => ({ label, address: destinationRules.ethereum.example })
  for (const label of [
    ...['Main wallet ', 'main  WALLET', 'Mаin wаllet', 'Ｍain wallet', 'Main\u00a0wallet', 'Main-wallet'],
    ...[` ${main.address}`, `Main: ${main.address} (USDT on TRON)`],
  ]) {
    assert.ok(isMistakable(other(label), main), label)
    assert.ok(isMistakable(main, other(label)), label)
  }
  assert.ok(!isMistakable(other('Main account'), main))
  assert.equal(spellLabel('  Ｍain \u00a0 wallet '), 'Main wallet')
})

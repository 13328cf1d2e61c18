// Files that come by themselves in mails (dovecot).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import tls from 'node:tls'
import { startMailbox, withoutMailboxes } from '../support/file-servers.ts'
import { fileOf, openPickup } from '../support/pickups.ts'
import { shareService } from '../support/shared-service.ts'

const opened = shareService({ environment: { PAYIN_OUTBOUND_LOOPBACK: 'on' }, mayLogErrors: true })
const skip = withoutMailboxes() ?? false

const openMailbox = async (rights?: string) => {
  const mailbox = await startMailbox(rights)
  after(() => mailbox.stop())
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), mailbox.certificate])
  const pickup = await openPickup(opened(), {
    ...{ address: mailbox.address, senders: ['statements@bank.example', '@other.example'] },
    ...{ checkedBy: 'mx.payin.test', secret: 'secret', importsAlone: true },
  })
  return {
    ...{ ...pickup, mailbox },
    /** The names of what was picked up, without times, each with the state of its statement or its problem. */
    states: async () => {
      const found = (await pickup.files()).map(async ({ name, statementId, problem }) => [
        name.replace(/^mail of .* UTC$/, 'mail'),
        statementId === undefined ? (problem ?? 'nothing in it') : (await pickup.statement(statementId)).state,
      ])
      return (await Promise.all(found)).toSorted((one, other) => one.join().localeCompare(other.join()))
    },
  }
}

const theBank = { from: 'statements@bank.example', results: 'mx.payin.test; dkim=pass header.d=bank.example' }

type Sender = { readonly from: string; readonly results?: string | undefined; readonly others?: readonly string[] }

/** A mail with parts, each with its own headers. */
const mail = ({ from, results, others = [] }: Sender, ...parts: readonly (readonly string[])[]): string[] => [
  ...(results === undefined ? [] : [`Authentication-Results: ${results}`]),
  ...[`From: A bank <${from}>`, 'To: reports@localhost', 'Subject: Statement', 'MIME-Version: 1.0', ...others],
  ...['Content-Type: multipart/mixed; boundary="b"', '', '--b', 'Content-Type: text/plain', '', 'Good day!'],
  ...parts.flatMap((part) => ['--b', ...part]),
  ...['--b--', ''],
]

const attached = (name: string, content: string, parameter = `filename="${name}"`): string[] => [
  ...['Content-Type: application/octet-stream', 'Content-Transfer-Encoding: base64'],
  ...[`Content-Disposition: attachment; ${parameter}`, ''],
  ...(Buffer.from(content)
    .toString('base64')
    .match(/.{1,76}/g) ?? []),
]

/** What a stranger has written, in a mail that sends it back or passes it on. */
const within = (content: string): string[] => [
  ...['Content-Type: message/rfc822', '', 'From: a@forger.example', 'MIME-Version: 1.0'],
  ...['Content-Type: multipart/mixed; boundary="inner"', '', '--inner', ...attached('inner.xml', content), '--inner--'],
]

test('mails are read whose sender is wanted and proven, each once', { skip }, async () => {
  const { mailbox, bank, pass, files, source, states, anna, at } = await openMailbox()
  const passed = 'mx.payin.test; spf=pass smtp.mailfrom=x; dkim=pass (ok) header.d=bank.example; dmarc=fail'
  const send = (from: string, results: string | undefined, minor: bigint) =>
    mailbox.deliver(mail({ from, results }, attached(`${minor}.xml`, fileOf(bank, { minor }))))
  send('statements@bank.example', passed, 1000n)
  send('info@other.example', 'mx.payin.test; dmarc=pass header.from=other.example', 2000n)
  send('stranger@elsewhere.example', passed, 3000n)
  send('statements@bank.example', undefined, 4000n)
  send('statements@bank.example', 'mx.payin.test; dkim=pass header.d=forger.example', 5000n)
  send('statements@bank.example', 'mx.forger.example; dkim=pass header.d=bank.example', 6000n)
  await pass()
  assert.equal((await source()).pickupProblem, undefined)
  const unproven = [
    'mail',
    'mx.payin.test does not say that the mail is really from statements@bank.example: ask the bank, and upload the file yourself if it is.',
  ]
  const both = [
    ['1000.xml', 'imported'],
    ['2000.xml', 'imported'],
  ]
  assert.deepEqual(await states(), [...both, unproven, unproven, unproven])
  await pass()
  assert.equal((await files()).length, 5)
  await anna.call('PUT', `${at}/pickup`, {
    ...{ address: mailbox.address, senders: ['@bank.example'], checkedBy: 'mx.payin.test', secret: 'wrong' },
  })
  await pass()
  assert.equal((await source()).pickupProblem, 'the mail server does not accept the user or the password')
  await anna.call('POST', `${at}/pickup/end`)
})

test('what another mail has brought to a proven sender is not from the sender', { skip }, async () => {
  const { mailbox, bank, pass, source, states } = await openMailbox()
  const forged = fileOf(bank, { minor: 250_000_00n })
  const own = attached('own.xml', fileOf(bank, { minor: 71_00n }))
  mailbox.deliver(mail(theBank, own, within(forged)))
  mailbox.deliver(mail(theBank, ['Content-Type: message/rfc822; name="x.xml"', '', '', forged]))
  const report = ['Content-Type: multipart/report; boundary="r"', '', '--r', ...attached('back.xml', forged), '--r--']
  mailbox.deliver(mail(theBank, report))
  for (const header of ['Return-Path: <>', 'In-Reply-To: <1@forger.example>', 'Auto-Submitted: auto-replied'])
    mailbox.deliver(mail({ ...theBank, others: [header] }, attached('answer.xml', forged)))
  await pass()
  const answer = [
    'mail',
    'It answers another mail, so its attachments may be from somebody else: ask the bank, and upload the file yourself if it is the bank’s.',
  ]
  const empty = ['mail', 'nothing in it']
  assert.deepEqual(await states(), [answer, answer, answer, empty, empty, ['own.xml', 'imported']])
  assert.equal((await source()).pickupProblem, undefined)
})

test('a mail that cannot be read keeps no other waiting, and is not read again', { skip }, async () => {
  const { mailbox, bank, pass, source, states } = await openMailbox()
  const wide = Array.from({ length: 8000 }, (_, part) => [
    `Content-Type: a/b; name="${'n'.repeat(200)}${part}"`,
    '',
    'x',
  ])
  const addresses = Array.from({ length: 100_000 }, (_, each) => ` ${each}@addresses-of-nobody.example,`)
  mailbox.deliver(mail(theBank, ...wide))
  mailbox.deliver(mail({ from: theBank.from, others: ['Cc:', ...addresses, ' a@b.example'] }))
  mailbox.deliver(mail(theBank, attached('good.xml', fileOf(bank, { minor: 61_00n }))))
  mailbox.deliver(mail(theBank, ...Array.from({ length: 101 }, (_, part) => attached(`${part}.xml`, 'x'))))
  mailbox.deliver(mail(theBank, attached('', fileOf(bank, { minor: 62_00n }), "filename*=utf-8''a%00b%0A.xml")))
  const seen = [
    ['ab.xml', 'imported'],
    ['good.xml', 'imported'],
    [
      'mail',
      'mx.payin.test does not say that the mail is really from statements@bank.example: ask the bank, and upload the file yourself if it is.',
    ],
    ['mail', 'The mail has more than 100 attachments. Upload what the bank has sent yourself.'],
    ['mail', 'The mail has too many parts. Upload what the bank has sent yourself.'],
  ]
  for (let looks = 0; looks < 2; looks++) {
    await pass()
    assert.deepEqual(
      (await states()).toSorted((one, other) => one.join().localeCompare(other.join())),
      seen,
    )
    assert.equal((await source()).pickupProblem, undefined)
  }
})

test('a mailbox with more mails than are looked at says so, and the newest are taken', { skip }, async () => {
  const { mailbox, bank, pass, source, states } = await openMailbox()
  const spam = ['From: "statements@bank.example" <a@forger.example>', 'To: reports@localhost', '', 'x', '']
  mailbox.deliver(mail(theBank, attached('hidden.xml', fileOf(bank, { minor: 91_00n }))))
  mailbox.deliverOften(spam, 5000)
  await pass()
  assert.deepEqual(await states(), [])
  assert.equal(
    (await source()).pickupProblem,
    'only the newest 5000 mails that name its senders are looked at (left out: 1): delete those that are not the bank’s',
  )
  mailbox.deliver(mail(theBank, attached('new.xml', fileOf(bank, { minor: 92_00n }))))
  await pass()
  assert.deepEqual(await states(), [['new.xml', 'imported']])
})

test('a mailbox into which its reader may put mails says so, if its server does', { skip }, async () => {
  const writable = await openMailbox('lri')
  const readable = await openMailbox('lr')
  for (const { mailbox, bank } of [writable, readable])
    mailbox.deliver(mail(theBank, attached('day.xml', fileOf(bank, { minor: 95_00n }))))
  await readable.pass()
  assert.equal(
    (await writable.source()).pickupProblem,
    'reports may put mails into the mailbox, and so may whoever knows the password: let a user read it without the right to insert (i)',
  )
  assert.equal((await readable.source()).pickupProblem, undefined)
  for (const { states } of [writable, readable]) assert.deepEqual(await states(), [['day.xml', 'imported']])
})

// What apps on phones send, as others have recorded it: each request is read as its fixture says.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPayload } from '../../src/http/phones/read-payload.ts'
import { parsePhoneBody } from '../../src/http/phones/phone-messages.ts'

type Expected = {
  readonly accepted: boolean
  readonly error?: string
  readonly channel?: string
  readonly sender?: string | null
  readonly package?: string | null
  readonly title?: string | null
  readonly text?: string
  readonly sentAt?: number | null
  readonly receivedAt?: number | null
}
type Fixture = { readonly name: string; readonly rawBody: string; readonly expect: Expected }

const file = 'shared/data/messages/payloads/_fixtures.json'
const path = ['..', '../..'].map((up) => join(import.meta.dirname, '../..', up, file)).find(existsSync)
const skip = path === undefined && `there is no ../${file}`
const fixtures = path === undefined ? [] : (JSON.parse(readFileSync(path, 'utf8')) as Fixture[])

const read = ({ rawBody }: Fixture) => readPayload(parsePhoneBody(Buffer.from(rawBody)))

test('requests of apps are read as their fixtures say', { skip }, () => {
  assert.ok(fixtures.length >= 29)
  for (const fixture of fixtures) {
    const { accepted, error, channel, sentAt = null, receivedAt = null, ...expected } = fixture.expect
    // The signature is checked before the body is read.
    if (error === 'bad-signature') continue
    if (!accepted) {
      assert.throws(() => read(fixture), fixture.name)
      continue
    }
    const [message] = read(fixture).messages
    if (channel === 'heartbeat') {
      assert.equal(message, undefined, fixture.name)
      continue
    }
    const { sender, package: app, title, text } = message ?? {}
    assert.deepEqual(
      [message?.channel, sender, app, title, text, message?.sentAt ?? message?.receivedAt ?? null],
      [channel, expected.sender, expected.package, expected.title, expected.text, sentAt ?? receivedAt],
      fixture.name,
    )
  }
})

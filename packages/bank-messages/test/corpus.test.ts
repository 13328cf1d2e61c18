// Messages of 73 banks, each read as a person reads it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Reading, readMessage } from '../src/bank-messages.ts'
import { type Collected, collected, withoutCorpus } from './support/corpus.ts'

/** The fields of a reading that are not as expected. A code has none; what no bank has sent may be unknown. */
const differences = ({ expected }: Collected, reading: Reading): string[] => {
  if (expected.kind === 'code') return reading.kind === 'code' && reading.amount === null ? [] : ['kind']
  if (expected.kind === 'other' && reading.kind === 'unknown') return []
  return (Object.keys(expected) as (keyof Collected['expected'])[])
    .filter((name) => expected[name] !== reading[name])
    .map((name) => `${name} is ${reading[name]}, not ${expected[name]}`)
}

describe('collected messages', { skip: withoutCorpus }, () => {
  test('every one is read as expected', () => {
    assert.ok(collected.length > 500)
    const wrong = collected.flatMap((message) =>
      differences(message, readMessage(message)).map((difference) => `${message.id}: ${difference}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('of those of a bank that are about no money, nearly all are known', () => {
    const others = collected.filter(({ expected, tags }) => expected.kind === 'other' && !tags.includes('spoof'))
    const unknown = others.filter((message) => readMessage(message).kind === 'unknown')
    assert.deepEqual(
      unknown.filter(({ tags }) => !/fragment|placeholder|empty-text/.test(tags.join(' '))).map(({ id }) => id),
      [],
    )
  })

  test('none is read from another sender or package', () => {
    const others = [
      { sender: '+79001234567', package: null },
      { sender: 'BANK-900', package: 'com.example.bank' },
    ]
    for (const message of collected)
      for (const { sender, package: origin } of [
        ...others,
        { sender: `${message.sender ?? ''}.`, package: `${message.package ?? ''}.app` },
        { sender: ` ${message.sender ?? ''}`, package: ` ${message.package ?? ''}` },
      ]) {
        const { kind } = readMessage({ ...message, sender, package: origin })
        assert.ok(kind === 'unknown' || kind === 'code', `${message.id} from ${sender} is read as ${kind}`)
      }
  })
})

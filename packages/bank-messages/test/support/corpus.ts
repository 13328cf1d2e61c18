// The collected messages, which are not part of the project.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Fields, Message, MessageKind } from '../../src/bank-messages.ts'

const root = resolve(import.meta.dirname, '../../../..')
const path = ['..', '../..'].map((up) => join(root, up, 'shared/data/messages/messages.jsonl')).find(existsSync)

/** Why the tests with collected messages are skipped, or false. */
export const withoutCorpus: string | false = path === undefined && 'there is no ../shared/data/messages/messages.jsonl'

/** A collected message, with what must be read. */
export type Collected = Message & {
  readonly id: string
  readonly bank: string
  readonly tags: readonly string[]
  readonly expected: Fields & { readonly kind: MessageKind }
}

type Line = Message & {
  readonly id: string
  readonly bank: string
  readonly tags: readonly string[]
  readonly expect: Fields & { readonly kind: string }
}

/** Kinds of the collection that are none of the package's. */
const kinds: Readonly<Record<string, MessageKind>> = {
  otp: 'code',
  advert: 'other',
  balance: 'other',
  request: 'other',
}

/** All collected messages, or none if they are not there. */
export const collected: readonly Collected[] =
  path === undefined
    ? []
    : readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const { expect, ...message } = JSON.parse(line) as Line
          return { ...message, expected: { ...expect, kind: kinds[expect.kind] ?? (expect.kind as MessageKind) } }
        })

/** The collected credits. */
export const credits: readonly Collected[] = collected.filter(({ expected }) => expected.kind === 'credit')

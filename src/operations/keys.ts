import { Time } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, presented, type Static, Type } from './schema.ts'

const KeyId = Type.String({
  pattern: '^[a-z0-9]{1,8}$',
  description: 'Name of the key in `PAYIN_ENCRYPTION_KEYS`.',
  examples: ['k2'],
})

const KeysAnswer = Type.Titled('EncryptionKeys', {
  keys: Type.Rows('The keys of the process that responds; the first one seals.', {
    id: presented(KeyId, { heading: 'Key' }),
    isNeeded: presented(
      Type.Flag('Whether something is sealed or indexed with it. A key that is not needed may be removed.'),
      { heading: 'Needed' },
    ),
  }),
  processes: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['payin 0070'] }),
      host: Type.String({ examples: ['10.0.0.1'], description: 'Where its connections come from.' }),
      keys: Type.Array(KeyId),
    }),
  ),
  'rotation?': Type.Object({
    key: KeyId,
    startedBy: Type.String({ examples: ['operator:anna'] }),
    startedAt: Time,
    'finishedAt?': Time,
    tables: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['transfers'] }),
        renewed: Type.Integer({ minimum: 0, description: 'Rows that were sealed or indexed again.' }),
        isFinished: Type.Flag('Whether a last reading of the whole table has found nothing to renew.'),
      }),
    ),
  }),
  advice: Type.Array(Type.String({ examples: ['The encryption key k1 is not needed: remove it.'] }), {
    description: 'What to do next, in sentences.',
  }),
})

export type KeysAnswer = Static<typeof KeysAnswer>

const describeRotation = ({ rotation }: KeysAnswer, { time }: Forms): string => {
  if (!rotation) return 'No rotation has been started.'
  const { key, startedAt, finishedAt, tables } = rotation
  if (finishedAt !== undefined) return `Everything was sealed with ${key} by ${time(finishedAt)}.`
  const done = tables.filter(({ isFinished }) => isFinished).length
  const renewed = tables.reduce((sum, table) => sum + table.renewed, 0)
  return `The rotation to ${key} has been under way since ${time(startedAt)}: ${done} of ${tables.length} tables are done, ${renewed} rows were renewed.`
}

const command = {
  columns: ['id', 'isNeeded'],
  note: (answer: KeysAnswer, forms: Forms): string => [describeRotation(answer, forms), ...answer.advice].join('\n\n'),
} as const

export const keys = {
  about: 'Encryption keys: which are needed, and their rotation while the service runs.',
  examples: ['payin keys status', 'payin keys rotate'],
  usual: 'status',
  operations: {
    status: operation('GET /keys', 'read', {
      id: 'getEncryptionKeys',
      summary: 'Show the names of the encryption keys, which are needed, and how far their rotation has come',
      description: 'The keys themselves are not shown.',
      answer: KeysAnswer,
      command,
    }),
    rotate: operation('POST /keys/rotation', 'configure', {
      id: 'rotateEncryptionKeys',
      summary: 'Seal and index everything with the first key, while the service runs',
      description:
        'Starts the rotation; jobs do it in small batches. Repeating the request while it is under way changes nothing. Refused with `invalid_state` if there is only one key, or a running process has another first key.',
      status: 202,
      answer: KeysAnswer,
      refusals: ['invalid_state'],
      command,
    }),
    forget: operation('DELETE /keys/addresses', 'configure', {
      id: 'forgetAddresses',
      summary: 'Invalidate all addresses of pages and links that were given out',
      description: 'After a leak of a key, once it is rotated. Takes effect when the processes are restarted.',
      answer: KeysAnswer,
      command: {
        says: 'Forgotten. Restart the processes: from then on, addresses that were given out no longer work.',
      },
    }),
  },
} satisfies Noun<unknown>

import { Time } from './fields.ts'
import { operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

const Bytes = (description: string) => Type.Integer({ minimum: 0, description, kind: 'bytes' })

const InstallationAnswer = Type.Object({
  service: Type.Object({
    version: Type.String({ examples: ['1.0.0'] }),
    node: Type.String({ examples: ['24.12.0'] }),
    startedAt: { ...Time, description: 'When the process that responds was started.' },
    memory: Bytes('Memory of this process in bytes.'),
    roles: Type.Array(Type.String()),
  }),
  database: Type.Object({
    engine: Type.String({ examples: ['postgres', 'embedded'] }),
    version: Type.String({ examples: ['17.6'] }),
    size: Bytes('Bytes of tables and indexes.'),
    isWritable: Type.Boolean(),
    connections: Type.Integer(),
  }),
  migrations: Type.Object({ applied: Type.Integer(), 'newest?': Type.String() }),
  processes: Type.Rows(
    'Processes with open connections, each listed once; those without an instance are distinguished by host and name.',
    {
      host: Type.Text('Where its connections come from.'),
      name: Type.Text('Name with the newest migration that its version knows.', 'payin 0039'),
      'instance?': Type.Text(
        'Its roles, number and host, as it names itself; long texts are cut off.',
        'web,worker 4711@pay-1',
      ),
      connections: Type.Integer(),
    },
  ),
  queues: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['deliveries'] }),
      waiting: Type.Whole('How many are due now; 10,000 means that or more.'),
      'oldestAt?': presented(Time, 'Since when the oldest is due.'),
    }),
  ),
  'disk?': Type.Group('The disk of the data directory.', {
    free: Bytes('Bytes that are free.'),
    total: Bytes('Total bytes.'),
  }),
  settings: Type.Rows('The settings in force, by variable; for a secret, only whether it is set.', {
    name: Type.String(),
    value: Type.String(),
  }),
})

export type InstallationAnswer = Static<typeof InstallationAnswer>

export const DiagnosisAnswer = Type.Titled('Diagnosis', {
  healthy: Type.Boolean(),
  // Absent if the whole database was read.
  'since?': Time,
  checks: Type.Array(
    Type.Object({
      name: Type.String({ heading: 'Invariant' }),
      meaning: Type.String({ description: 'What always holds, in one sentence.', heading: 'Always holds' }),
      broken: presented(Type.Whole('Rows that violate it; 0 is healthy.'), { heading: 'Broken rows' }),
      examples: Type.Array(Type.String()),
    }),
  ),
  'notes?': Type.Array(Type.String({ examples: ['The key k1 is not needed: remove it.'] }), {
    description: 'What is not broken but should be done, such as removing an old key.',
  }),
})

export type DiagnosisAnswer = Static<typeof DiagnosisAnswer>

export const installation = {
  doctor: operation('GET /doctor', 'read', {
    id: 'checkInvariants',
    summary: 'Check every invariant',
    description: 'Reads what has changed since the last check without violations; with `full`, the whole database.',
    query: {
      'full?': Type.OneOf(['true', 'false'], 'Read everything, including what was verified before.'),
    },
    answer: DiagnosisAnswer,
    command: {
      about: 'Check every invariant of the data; exits with 1 if one is broken.',
      fails: ({ healthy }) => !healthy,
      patient: true,
    },
  }),
  installation: operation('GET /installation', 'read', {
    id: 'getInstallation',
    summary: 'Show how the installation runs: versions, database, queues, processes, disk and settings',
    description: 'What the responding process knows, and what all processes share in the database.',
    answer: InstallationAnswer,
  }),
}

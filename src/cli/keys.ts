import { setTimeout as sleep } from 'node:timers/promises'
import type { KeysAnswer } from '../http/operator-api/keys.ts'
import { command, type Group, request } from './commands.ts'
import { argument, flag } from './inputs.ts'
import { type Printed, printRows, printSections, printTime } from './print-table.ts'
import type { Session } from './session.ts'

const lookEveryMs = 1000

type Rotation = NonNullable<KeysAnswer['rotation']>

const describeRotation = (rotation: Rotation | undefined): Printed => {
  if (!rotation) return 'No rotation has been started.'
  const { key, startedAt, finishedAt, tables, unknownAccounts } = rotation
  if (finishedAt !== undefined) return `Everything was sealed with ${key} by ${printTime(finishedAt)}.`
  return printSections(
    `The rotation to ${key} has been under way since ${printTime(startedAt)}: ${tables.filter(({ isFinished }) => isFinished).length} of ${tables.length} tables are done.`,
    printRows(
      tables.filter(({ isFinished, seen }) => !isFinished && seen > 0),
      {
        TABLE: 'name',
        'PASS>': 'pass',
        'ROWS READ>': 'seen',
        'RENEWED>': 'renewed',
      },
    ),
    unknownAccounts === 0
      ? undefined
      : `It waits for the numbers of ${unknownAccounts} accounts in statements: upload a statement of each account, or bind it again (payin statements bind).`,
  )
}

/** Suggests what to do next about the keys. */
const nextSteps = ({ keys, rotation, retired }: KeysAnswer): Printed[] => {
  const [first, ...others] = keys
  const unneeded = others.filter(({ isNeeded }) => !isNeeded).map(({ id }) => id)
  const [old, unused] = [unneeded.filter((id) => retired.includes(id)), unneeded.filter((id) => !retired.includes(id))]
  const steps: Printed[] = []
  if (others.length > unneeded.length && rotation?.key !== first?.id)
    steps.push(`To seal everything with ${first?.id}: payin keys rotate`)
  if (unused.length > 0)
    steps.push(
      `Nothing is sealed with ${unused.join(' and ')}. To rotate to a new key, put it first in PAYIN_ENCRYPTION_KEYS, and restart the processes; otherwise remove it.`,
    )
  if (old.length > 0) steps.push(`Remove ${old.join(' and ')} from PAYIN_ENCRYPTION_KEYS, and restart the processes.`)
  if (others.length === 0 && !rotation)
    steps.push(
      'To rotate: add a new key to PAYIN_ENCRYPTION_KEYS, then put it first, restarting the processes after each, and payin keys rotate.',
    )
  return steps
}

const describeKeys = (answer: KeysAnswer): Printed => {
  const { keys, processes, rotation, retired } = answer
  const [first] = keys
  return printSections(
    printRows(
      keys.map(({ id, isNeeded }, index) => ({ id, use: index === 0 ? 'seals and opens' : 'opens', isNeeded })),
      { KEY: 'id', USE: 'use', NEEDED: ({ isNeeded }) => (isNeeded ? 'yes' : 'no') },
    ),
    processes.some((each) => each.keys?.join() !== keys.map(({ id }) => id).join())
      ? printRows(processes, {
          PROCESS: 'name',
          HOST: 'host',
          KEYS: (each) => each.keys?.join(', ') ?? 'not known',
        })
      : undefined,
    describeRotation(rotation),
    ...nextSteps(answer),
    retired.length === 0
      ? undefined
      : `Addresses of pages and links that ${retired.join(' and ')} made still work; after a leak: payin keys forget ${retired[0]}`,
    first ? undefined : 'There is no key.',
  )
}

const follow = async (session: Session, started: KeysAnswer): Promise<KeysAnswer> => {
  let said = ''
  for (let now = started; ; now = (await session.call<KeysAnswer>('GET /keys')).body) {
    const { rotation } = now
    if (!rotation) return now
    const { tables, unknownAccounts } = rotation
    const done = tables.filter(({ isFinished }) => isFinished).length
    const renewed = tables.reduce((sum, table) => sum + table.renewed, 0)
    const line = `${done} of ${tables.length} tables, ${renewed} rows renewed`
    if (line !== said && !session.isJson) session.surroundings.errors.write(`${line}\n`)
    said = line
    const isStuck = unknownAccounts > 0 && done === tables.length
    if (rotation.finishedAt !== undefined || isStuck) return now
    await sleep(lookEveryMs)
  }
}

export const keyCommands: Group = {
  description: 'Encryption keys: which are needed, and their rotation while the service runs.',
  examples: ['payin keys status', 'payin keys rotate'],
  usual: 'status',
  commands: {
    status: request('GET /keys', {
      description: 'Show the names of the keys, which are needed, and how far the rotation is.',
      print: (answer: KeysAnswer) => describeKeys(answer),
    }),
    rotate: command({
      description:
        'Seal and index everything with the first key, and show the progress. Ctrl-C stops only the display; run the command again to see it.',
      inputs: { detach: flag('--detach', 'start it and do not wait for its end') },
      run: async (session, { detach }) => {
        const { body } = await session.call<KeysAnswer>('POST /keys/rotation')
        session.showValue(detach ? body : await follow(session, body), describeKeys)
      },
    }),
    forget: request('DELETE /keys/retired/{id}', {
      description:
        'After a leak: invalidate addresses of pages and links that a retired key made, from the next start on.',
      inputs: { id: argument('<key>', 'name of the key, such as k1') },
      print: (_answer: KeysAnswer, { id }) =>
        `Forgotten. Restart the processes: from then on, addresses that ${id} made no longer work.`,
    }),
  },
}

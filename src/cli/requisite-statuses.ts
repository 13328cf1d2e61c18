import type { ChangedStatuses, RequisiteAnswer } from '../http/operator-api/requisites.ts'
import { command } from './commands.ts'
import { argument, option, resolvedBy } from './inputs.ts'
import { printAccount, printList } from './print-table.ts'
import { resolveId } from './resolve-name.ts'

const several = (typed: string, before: readonly string[] = []): readonly string[] => [...before, typed]

const requisites = resolvedBy(
  argument('<requisite...>', 'label, last digits or id of a requisite; more than one at once', several),
  async (session, typed) => Promise.all(typed.map((each) => resolveId(session, 'requisite', each))),
)

/** A command that gives one requisite or several a status; ends with 1 when one of several was refused. */
export const setStatuses = (status: 'active' | 'paused', description: string) =>
  command({
    description,
    inputs: { requisites, reason: option('--reason <text>', 'why, for the audit') },
    run: async (session, { requisites: ids, reason }) => {
      const [id, ...others] = ids
      if (others.length === 0) {
        const answer = await session.call<RequisiteAnswer>(
          'PATCH /requisites/{id}',
          { id },
          { body: { status, reason } },
        )
        session.show(answer, (changed) => `${printAccount(changed)} is ${changed.status}.`)
        return
      }
      const answer = await session.call<ChangedStatuses>('POST /requisites/statuses', {
        requisites: ids,
        status,
        reason,
      })
      session.show(answer, (changed) =>
        printList(changed.requisites, {
          'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
          STATE: ({ state }) => (state === 'done' ? status : state),
          'WHY~': 'message',
        }),
      )
      if (answer.body.requisites.some(({ state }) => state === 'refused')) session.fail()
    },
  })

import { decisions } from '../operations/decisions.ts'
import { nounCommands } from './noun-commands.ts'
import type { TransferDecisionAnswer } from '../operations/decisions.ts'
import { argument, resolved } from './inputs.ts'
import { pickListed } from './resolve-name.ts'
import { printTime } from './print-table.ts'
import type { Session } from './session.ts'

/** The id of the decision of the last 24 hours that part of an id names, or of the latest one for `last`. */
const findDecision = async (session: Session, typed: string): Promise<string> => {
  const { body } = await session.call<{ decisions: TransferDecisionAnswer[] }>('GET /decisions', { limit: '500' })
  const listed = body.decisions.map(({ id: each, at, by, done }) => ({
    ...{ id: each, names: [] },
    about: `${printTime(at)} by ${by}, ${done} done`,
  }))
  return pickListed(listed, typed, { kind: 'decision of the last 24 hours', shownBy: 'payin decisions list' })
}

const decision = resolved(argument('<decision>', 'id of the decision, or last'), findDecision)

/** Decisions about transfers. */
export const decisionCommands = nounCommands(decisions, {}, decision)

import { Type } from 'typebox'
import { farthestTurnMs } from '../domain/clock-turn.ts'
import { Exact } from './fields.ts'

/** How far a sandbox merchant's clock is turned. */
export const ClockTurnBody = Exact(
  {
    forwardMs: Type.Integer({
      minimum: 1,
      maximum: farthestTurnMs,
      description: 'Milliseconds, at most 90 days; a farther turn is several.',
    }),
  },
  { title: 'ClockTurn', examples: [{ forwardMs: 1_800_000 }] },
)

/** What a turn has moved. */
export const TurnedClockAnswer = Type.Object(
  {
    payments: Type.Integer({ description: 'Payments whose time, or window for late money, was running.' }),
    disputes: Type.Integer({ description: 'Undecided disputes.' }),
    deliveries: Type.Integer({ description: 'Planned tries of notifications.' }),
  },
  { title: 'TurnedClock', examples: [{ payments: 2, disputes: 0, deliveries: 1 }] },
)

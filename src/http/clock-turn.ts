import { Type } from './schema.ts'
import { farthestTurnMs } from '../domain/clock-turn.ts'

/** How far a sandbox merchant's clock is turned. */
export const ClockTurnBody = Type.Exact(
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
    payments: Type.Whole('Payments whose time, or window for late money, was running.'),
    disputes: Type.Whole('Undecided disputes.'),
    deliveries: Type.Whole('Planned tries of notifications.'),
  },
  { title: 'TurnedClock', examples: [{ payments: 2, disputes: 0, deliveries: 1 }] },
)

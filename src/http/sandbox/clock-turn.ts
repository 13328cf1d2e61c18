import { Type } from '../../operations/schema.ts'
import { farthestTurnMs } from '../../rules/sandbox/clock-turn.ts'

/** How far a sandbox merchant's clock is turned. */
export const ClockTurnBody = Type.Exact(
  {
    forwardMs: Type.Integer({
      minimum: 1,
      maximum: farthestTurnMs,
      description: 'Milliseconds, at most 90 days; to turn farther, call again.',
    }),
  },
  { title: 'ClockTurn', examples: [{ forwardMs: 1_800_000 }] },
)

/** What a turn of the clock has moved. */
export const TurnedClockAnswer = Type.Object(
  {
    payments: Type.Whole('Payments whose time to pay or late window was running.'),
    disputes: Type.Whole('Undecided disputes.'),
    deliveries: Type.Whole('Planned attempts of notifications.'),
  },
  { title: 'TurnedClock', examples: [{ payments: 2, disputes: 0, deliveries: 1 }] },
)

import { merchantModes } from '../rules/merchants/merchant.ts'
import { pauseCauses } from '../rules/requisites/requisite-health.ts'
import { requisiteStatuses } from '../rules/requisites/requisite.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { BankCode, Currency, Id, Time, idOf, ofRequisite } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { operation } from './operation.ts'
import { Limits, ownedBy, requisiteFields } from './requisites.ts'
import { type Summary, presented, type Static, Type } from './schema.ts'

const Counts = Type.Titled('TransferCounts', {
  payments: Type.Whole('Payments that were allocated this requisite.'),
  paid: Type.Integer(),
  expired: Type.Whole('Expired payments whose payers had seen the requisite.'),
  'successRate?': Type.Number({
    description: 'Share of paid payments among paid and expired ones, 0 to 1.',
    examples: [0.83],
  }),
})

const Pause = Type.Titled('RequisitePause', {
  cause: Type.OneOf(
    pauseCauses,
    'Consecutive expired payments, consecutive unmatched transfers, or minutes of silence of the phone that reports its money.',
  ),
  run: Type.Whole('Length of the run.'),
  limit: Type.Integer(),
  'since?': presented(Time, 'When the first payment of the run expired, or the phone was last heard.'),
  pausedAt: presented(Time, { heading: 'At' }),
  'endedAt?': presented(Time, 'When an operator resumed or retired the requisite.'),
})

const HealthAnswer = Type.Titled('RequisiteHealth', {
  id: Id,
  ...ownedBy,
  ...requisiteFields,
  number: Type.Text('Masked.'),
  status: Type.OneOf(requisiteStatuses),
  limits: Limits,
  turnover: Type.Group('Open and credited payments of the day and month in its time zone, compared with its limits.', {
    open: Type.Integer(),
    dayCount: Type.Integer(),
    dayAmount: Type.Number(),
    monthCount: Type.Integer(),
    monthAmount: Type.Number(),
  }),
  room: Type.Whole('What is left of its tightest limit, in tenths (0–10).'),
  'nextLimit?': Type.Group(
    'The limit that it will reach first at the pace of its day or month, and when; absent if it reaches none before the day or month ends.',
    {
      limit: Type.OneOf(['dayAmount', 'dayCount', 'monthAmount', 'monthCount']),
      at: Time,
    },
  ),
  lastDay: Counts,
  lastWeek: Counts,
  'lastPaidAt?': presented(Time, 'When a payment was last credited, within a week.'),
  'lastMoneyAt?': presented(Time, 'When the bank booked the last money that was reported.'),
  expiredRun: Type.Whole('Payments that expired since the last credit or resumption, within a week.'),
  unmatchedRun: Type.Whole('Senders of consecutive unmatched transfers up to now.'),
  'pause?': Pause,
})
export type HealthAnswer = Static<typeof HealthAnswer>

const PauseAnswer = Type.Object({ id: Id, ...ofRequisite, ...Pause.properties })
export type PauseAnswer = Static<typeof PauseAnswer>

const HealthFilterQuery = {
  'mode?': Type.OneOf(merchantModes, 'Only those for real money, or for simulated money.'),
  'method?': Type.OneOf(paymentMethods, 'Only of this payment method.'),
  'currency?': Currency,
  'bankIssuer?': presented(BankCode, 'Only those at this bank.'),
  'merchantId?': presented(idOf('merchant'), "Only this merchant's own, without the shared pool."),
  'id?': presented(Id, 'Only this one.'),
  'status?': Type.OneOf(requisiteStatuses, 'Only those with this status.'),
}

export type HealthFilterQuery = Static<ReturnType<typeof Type.Object<typeof HealthFilterQuery>>>

const describeRate = ({ paid, payments, successRate }: HealthAnswer['lastDay']): string =>
  `${paid}/${payments}${successRate === undefined ? '' : ` (${(successRate * 100).toFixed(0)} %)`}`

const describeTurnover = (used: number, limit: number | null): string =>
  `${used}${limit === null ? '' : ` of ${limit}`}`

const toTheRight = (heading: string, show: Summary<HealthAnswer>['show']): Summary<HealthAnswer> => ({
  heading,
  show,
  kind: 'number',
})

export const requisiteHealth = {
  health: operation('GET /requisites/health', 'read', {
    id: 'listRequisiteHealth',
    summary: 'Report the health of requisites',
    description:
      'Turnover against limits, paid payments and runs of failures. By label, those without one last, the oldest first; without `status`, all that are not retired.',
    query: { ...PageQuery, ...HealthFilterQuery },
    answer: pageOf('requisites', HealthAnswer),
    exports: {
      columns:
        'id,label,merchantId,merchantName,mode,method,bankIssuer,number,holder,status,pause.cause,currency,limits.minAmount,limits.maxAmount,turnover.dayAmount,limits.dayAmount,turnover.monthAmount,limits.monthAmount,turnover.open,lastDay.paid,lastDay.expired,lastWeek.paid,lastWeek.expired,lastPaidAt,lastMoneyAt',
    },
    command: {
      only: ['mode', 'method', 'currency', 'status'],
      columns: [
        { heading: 'Requisite', show: (row, { account }) => account(row) },
        {
          heading: 'Status',
          show: ({ status, pause, creditingHeld }) =>
            [pause ? `paused: ${pause.cause}` : status, ...(creditingHeld ? ['crediting held'] : [])].join(', '),
        },
        toTheRight('Paid 24 h', ({ lastDay }) => describeRate(lastDay)),
        toTheRight('Run', ({ expiredRun, unmatchedRun }) => `${expiredRun} / ${unmatchedRun}`),
        toTheRight('Day', ({ turnover, limits }) => describeTurnover(turnover.dayAmount, limits.dayAmount)),
        toTheRight('Month', ({ turnover, limits }) => describeTurnover(turnover.monthAmount, limits.monthAmount)),
        toTheRight('Open', ({ turnover }) => turnover.open),
        toTheRight('Paid 7 d', ({ lastWeek }) => describeRate(lastWeek)),
        ...(['lastMoneyAt', 'id'] as const),
      ],
      empty: 'No such requisites. Add some: payin requisites add --help',
      note: 'RUN: consecutive payments that expired, and consecutive transfers that matched nothing.',
    },
  }),
  pauses: operation('GET /requisites/pauses', 'read', {
    id: 'listRequisitePauses',
    summary: 'List automatic pauses of requisites',
    description: 'Newest first; a pause lasts until the requisite is resumed (`PATCH /requisites/{id}`) or retired.',
    query: {
      ...PageQuery,
      'open?': Type.OneOf(['true', 'false'], '`true`: only current pauses; `false`: only ended ones.'),
    },
    answer: pageOf('pauses', PauseAnswer),
    command: {
      columns: [
        ...(['requisiteId', 'cause', 'pausedAt'] as const),
        {
          heading: 'State',
          show: ({ endedAt }, { time }) => (endedAt === undefined ? 'lasts' : `ended ${time(endedAt)}`),
        },
        'run',
        { heading: 'Id', show: ({ requisiteId }) => requisiteId },
      ],
      empty: 'No automatic pauses. To set when to pause: payin requisites limit <requisite> --pause-after <count>',
    },
  }),
}

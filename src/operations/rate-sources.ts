import { rateSourceBounds, rateSourceKinds } from '../rules/money/rate-source.ts'
import { maxUrlLength } from '../rules/notices/endpoint.ts'
import { Currency, Id, Price, Time } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type FieldKind, type Static, presented, Type } from './schema.ts'

const whole = ([minimum, maximum]: readonly [number, number], kind: FieldKind, description: string) =>
  Type.Bounded(minimum, maximum, { description, kind })

const settings = {
  'rank?': whole(rateSourceBounds.rank, 'whole', 'Sources of a currency are used in this order. Default: 1.'),
  'url?': Type.String({ minLength: 1, maxLength: maxUrlLength, description: 'For a JSON source: its https address.' }),
  'pointer?': Type.String({
    maxLength: 500,
    description:
      'For a JSON source: the JSON pointer (RFC 6901) to the price, a number or its digits as text, such as `/data/0/price`.',
    examples: ['/data/0/price'],
  }),
  'price?': presented(Price, 'For a fixed source: the price of 1 USDT.'),
  'spreadPpm?': whole(
    rateSourceBounds.spreadPpm,
    'percent',
    'Added to the price, in millionths of it; may be negative. Default: 0.',
  ),
  'maxStepPpm?': whole(
    rateSourceBounds.maxStepPpm,
    'percent',
    'A price waits for an operator if it differs from the last rate by more than this, in millionths of it. Default: 30000.',
  ),
  'maxDayPpm?': whole(
    rateSourceBounds.maxDayPpm,
    'percent',
    "Like `maxStepPpm`, but compared with the rate of a day ago, or with an operator's decision since then. Default: 100000.",
  ),
  'everyMs?': whole(rateSourceBounds.everyMs, 'span', 'How often it is fetched. Default: a minute.'),
  'maxAgeMs?': whole(rateSourceBounds.maxAgeMs, 'span', 'How long a price may be used. Default: ten minutes.'),
  'enabled?': Type.Boolean(),
}

const options = { url: '--address' }

const limits = ['rank', 'spreadPpm', 'maxStepPpm', 'maxDayPpm'] as const
const timing = ['everyMs', 'maxAgeMs'] as const

const percentOf = (heading?: string) => Type.Integer({ kind: 'percent', ...(heading !== undefined && { heading }) })
const Span = Type.Integer({ kind: 'span' })

const SourceAnswer = Type.Titled('RateSource', {
  id: Id,
  currency: Type.String(),
  kind: Type.OneOf(rateSourceKinds),
  name: Type.String(),
  rank: Type.Integer(),
  'url?': presented(Type.Text('Without its path and query, which may contain a key.', 'https://rates.example.com/…'), {
    heading: 'Address',
  }),
  'pointer?': Type.String(),
  spreadPpm: percentOf(),
  maxStepPpm: percentOf('Max step'),
  maxDayPpm: percentOf('Max move in a day'),
  everyMs: Span,
  maxAgeMs: Span,
  enabled: Type.Boolean(),
  'price?': Type.Number({ description: 'Its last usable price, with the spread.' }),
  'pricedAt?': presented(Time, { heading: 'At' }),
  'heldPrice?': Type.Number({ description: 'A price that waits for an operator.' }),
  'heldSince?': Time,
  'failingSince?': Time,
  'lastError?': Type.String(),
})
export type RateSourceAnswer = Static<typeof SourceAnswer>

const FetchAnswer = Type.Titled('RateFetch', {
  id: Id,
  at: Time,
  outcome: Type.OneOf(['accepted', 'held', 'failed', 'refused']),
  'price?': Type.Number(),
  'error?': Type.String(),
  'decidedBy?': Type.String({ kind: 'person', heading: 'By' }),
})

const name = Type.Printable(100, { description: 'Your name for it.', examples: ['exchange'] })

const Change = Type.Exact({ 'name?': name, ...settings }, { minProperties: 1 })
export type RateSourceChange = Static<typeof Change>

const decideHeld = (word: 'accept' | 'refuse', summary: string) =>
  operation(`POST /rate-sources/{id}/${word}`, 'account', {
    id: `${word}HeldRate`,
    summary,
    description:
      'Name the price that you saw: refused (`invalid_state`) if another price waits by now, or none. As for `setRate`, two people must accept a price outside the band; until then it goes on waiting.',
    body: { price: { ...Price, description: 'The waiting price, as you saw it.' } },
    answer: SourceAnswer,
    refusals: [
      ...(['amount_above_max', 'amount_precision', 'invalid_state', 'rate_outside_band'] as const),
      ...(['resource_not_found', 'second_person_required'] as const),
    ],
    command: { arguments: ['price'] },
  })

export const rateSources = {
  about: 'Sources that set rates automatically.',
  examples: [
    'payin rates sources json rub exchange https://api.example.com/usdt-rub /data/price --spread 0.5',
    'payin rates sources fixed rub fallback 93 --rank 2',
    'payin rates sources accept "rub exchange" 99.1',
  ],
  usual: 'list',
  operations: {
    list: operation('GET /rate-sources', 'read', {
      id: 'listRateSources',
      summary: 'List the sources of rates',
      description: 'By currency and rank.',
      answer: { sources: Type.Array(SourceAnswer) },
      exports: 'sources',
      command: {
        columns: [
          ...(['currency', 'rank', 'name', 'price', 'pricedAt', 'spreadPpm', 'maxStepPpm'] as const),
          {
            heading: 'State',
            show: ({ enabled, heldPrice, heldSince, failingSince, lastError }, { time }) => {
              if (!enabled) return 'off'
              if (heldPrice !== undefined) return `${heldPrice} has waited for you since ${time(heldSince)}`
              return failingSince === undefined ? 'on' : `failing since ${time(failingSince)}: ${lastError}`
            },
          },
          'id',
        ],
        empty: 'No sources: rates are set by hand (payin rates set rub 92.5). Add one: payin rates sources json --help',
      },
    }),
    add: operation('POST /rate-sources', 'configure', {
      id: 'addRateSource',
      summary: 'Add a source of rates',
      description: 'If a currency has several sources, the first by rank that has a price sets the rate.',
      body: {
        currency: Currency,
        kind: Type.OneOf(rateSourceKinds),
        name: Type.Printable(100, 'Your name for it.'),
        ...settings,
      },
      status: 201,
      answer: SourceAnswer,
      refusals: ['already_exists', 'invalid_state'],
      commands: {
        json: {
          about: 'Add a JSON document at an https address.',
          arguments: ['currency', 'name', 'url', 'pointer'],
          options,
          only: ['currency', 'name', 'url', 'pointer', ...limits, ...timing],
          fixed: { kind: 'json' },
        },
        fixed: {
          about: 'Add a fixed price, for example as a last resort.',
          arguments: ['currency', 'name', 'price'],
          options,
          only: ['currency', 'name', 'price', ...limits],
          fixed: { kind: 'fixed' },
        },
      },
    }),
    update: operation('PATCH /rate-sources/{id}', 'configure', {
      id: 'updateRateSource',
      summary: 'Change a source of rates',
      description:
        'Omitted fields do not change, nor does the address if it is sent as lists show it. A JSON source is fetched again, and has no price until then.',
      body: Change,
      answer: SourceAnswer,
      refusals: ['already_exists'],
      commands: {
        update: {
          about: 'Change a source; omitted options do not change.',
          options,
          only: ['name', 'url', 'pointer', 'price', ...limits, ...timing],
        },
        on: { about: 'Switch a source on.', only: [], fixed: { enabled: true } },
        off: { about: 'Switch a source off.', only: [], fixed: { enabled: false } },
      },
    }),
    remove: operation('DELETE /rate-sources/{id}', 'configure', {
      id: 'removeRateSource',
      summary: 'Remove a source of rates',
      description: 'The rate that it has set stays until it ends.',
      answer: { id: Id },
      command: { says: 'The source is removed.' },
    }),
    accept: decideHeld('accept', 'Accept a waiting price as the rate from now on'),
    refuse: decideHeld('refuse', 'Refuse a waiting price'),
    history: operation('GET /rate-sources/{id}/fetches', 'read', {
      id: 'listRateFetches',
      summary: 'Show the prices fetched from a source of rates',
      description: 'Newest first.',
      query: PageQuery,
      answer: pageOf('fetches', FetchAnswer),
      command: {
        columns: ['at', 'outcome', 'price', 'error', 'decidedBy'],
        empty: 'Nothing has been fetched yet.',
      },
    }),
  },
} satisfies Noun<unknown>

import type { OverrideAnswer, PaidSharesAnswer, RateAnswer, RateProposal } from '../http/operator-api/rates.ts'
import type { RateFetchAnswer, RateSourceAnswer } from '../http/operator-api/rate-sources.ts'
import { percentsPaid } from '../rules/payments/paid-shares.ts'
import { demoRateSource } from '../rules/money/rate.ts'
import { type Group, list, request, group } from './commands.ts'
import { argument, flag, option, page, required, resolved } from './inputs.ts'
import { pickListed } from './resolve-name.ts'
import { type Printed, printFields, printSpan, printTime } from './print-table.ts'
import { exactNumber, percent, span, timeOrSpan, wholeNumber } from './read-arguments.ts'
import type { Session } from './session.ts'

const percentOf = (ppm: number): string => `${ppm / 10_000} %`

const stateOf = (source: RateSourceAnswer): string => {
  if (!source.enabled) return 'off'
  if (source.heldPrice !== undefined)
    return `${source.heldPrice} has waited for you since ${printTime(source.heldSince)}`
  return source.failingSince === undefined
    ? 'on'
    : `failing since ${printTime(source.failingSince)}: ${source.lastError}`
}

const describe = (source: RateSourceAnswer): Printed =>
  printFields({
    Id: source.id,
    Currency: source.currency,
    Name: source.name,
    Rank: source.rank,
    Address: source.url,
    Pointer: source.pointer,
    Spread: percentOf(source.spreadPpm),
    'Largest step': percentOf(source.maxStepPpm),
    'Largest move in a day': percentOf(source.maxDayPpm),
    Fetched: source.kind === 'json' ? `every ${printSpan(source.everyMs)}` : undefined,
    'Used for': source.kind === 'json' ? printSpan(source.maxAgeMs) : undefined,
    Price: source.price,
    State: stateOf(source),
  })

/** Reads a spread such as `0.5` or `-0.25` percent as millionths. */
const signedPercent = (typed: string): number => (typed.startsWith('-') ? -percent(typed.slice(1)) : percent(typed))

const currency = argument('<currency>', 'code, such as rub')

const printProposal = (of: string, price: number): string =>
  `Proposed: 1 USDT = ${price} ${of}. It takes effect once another operator sets the same price within a day.`

/** The id of the source with this name, after its currency if several have the name, or with this id. */
const findSource = async (session: Session, typed: string): Promise<string> => {
  const { body } = await session.call<{ sources: RateSourceAnswer[] }>('GET /rate-sources')
  const listed = body.sources.map(({ id, name: called, currency: of }) => ({
    ...{ id, names: [called, `${of} ${called}`] },
    about: `${of} ${called}`,
  }))
  return pickListed(listed, typed, { kind: 'source of rates', shownBy: 'payin rates sources' })
}

const source = {
  id: resolved(argument('<source>', 'name of the source, such as "rub exchange", or its id'), findSource),
}
const shared = {
  rank: option('--rank <number>', 'rank among the sources of the currency; default: 1', wholeNumber),
  spreadPpm: option('--spread <percent>', 'added to the price, such as 0.5 or -0.25', signedPercent),
  maxStepPpm: option('--max-step <percent>', 'a larger step from the last rate waits for you; default: 3', percent),
  maxDayPpm: option('--max-day <percent>', 'a larger move within a day waits, too; default: 10', percent),
}
const timing = {
  everyMs: option('--every <span>', 'how often it is fetched; default: 1m', span),
  maxAgeMs: option('--max-age <span>', 'how long a price is used; default: 10m', span),
}
const name = argument('<name>', 'your name for it')
const seenPrice = argument('<price>', 'the waiting price, as shown', exactNumber)

const rateSourceCommands: Group = {
  description: 'Sources that set rates automatically.',
  examples: [
    'payin rates sources json rub exchange https://api.example.com/usdt-rub /data/price --spread 0.5',
    'payin rates sources fixed rub fallback 93 --rank 2',
    'payin rates sources accept "rub exchange" 99.1',
  ],
  usual: 'list',
  commands: {
    list: list('GET /rate-sources', {
      description: 'List the sources, by currency and rank.',
      rows: (answer: { sources: RateSourceAnswer[] }) => answer.sources,
      empty: 'No sources: rates are set by hand (payin rates set rub 92.5). Add one: payin rates sources json --help',
      columns: {
        CURRENCY: 'currency',
        'RANK>': 'rank',
        NAME: 'name',
        'PRICE>': 'price',
        AT: ({ pricedAt }) => printTime(pricedAt),
        'SPREAD>': ({ spreadPpm }) => percentOf(spreadPpm),
        'MAX STEP>': ({ maxStepPpm }) => percentOf(maxStepPpm),
        'STATE~': stateOf,
        'ID#': 'id',
      },
    }),
    json: request('POST /rate-sources', {
      description: 'Add a JSON document at an https address.',
      inputs: {
        currency,
        name,
        url: argument('<url>', 'https address'),
        pointer: argument('<pointer>', 'JSON pointer to the price, such as /data/0/price'),
        ...shared,
        ...timing,
      },
      body: (given) => ({ kind: 'json', ...given }),
      print: describe,
    }),
    fixed: request('POST /rate-sources', {
      description: 'Add a fixed price, for example as a last resort.',
      inputs: { currency, name, price: argument('<price>', 'price of 1 USDT', exactNumber), ...shared },
      body: (given) => ({ kind: 'fixed', ...given }),
      print: describe,
    }),
    update: request('PATCH /rate-sources/{id}', {
      description: 'Change a source; omitted options do not change.',
      inputs: {
        ...source,
        name: option('--name <name>', 'another name'),
        url: option('--address <url>', 'https address'),
        pointer: option('--pointer <pointer>', 'JSON pointer to the price'),
        price: option('--price <price>', 'for a fixed source', exactNumber),
        ...shared,
        ...timing,
        enabled: flag('--on', 'switch it on'),
        off: flag('--off', 'switch it off'),
      },
      body: ({ id: _id, off, ...given }) => ({ ...given, ...(off && { enabled: false }) }),
      print: describe,
    }),
    remove: request('DELETE /rate-sources/{id}', {
      description: 'Remove a source; the rate that it has set stays until it ends.',
      inputs: source,
      print: () => 'The source is removed.',
    }),
    accept: request('POST /rate-sources/{id}/accept', {
      description: 'Accept a waiting price as the rate from now on.',
      inputs: { ...source, price: seenPrice },
      print: describe,
    }),
    refuse: request('POST /rate-sources/{id}/refuse', {
      description: 'Refuse a waiting price.',
      inputs: { ...source, price: seenPrice },
      print: describe,
    }),
    history: list('GET /rate-sources/{id}/fetches', {
      description: 'Show the prices fetched from a source, newest first.',
      inputs: { ...source, ...page },
      rows: (answer: { fetches: RateFetchAnswer[] }) => answer.fetches,
      empty: 'Nothing has been fetched yet.',
      columns: {
        AT: ({ at }) => printTime(at),
        OUTCOME: 'outcome',
        'PRICE>': 'price',
        ERROR: 'error',
        BY: 'decidedBy',
      },
    }),
  },
}

const rateOverrideCommands: Group = {
  description: 'Your own rate until a time; it overrides all sources.',
  examples: ['payin rates override set rub 95 --until 2h --reason "the exchange is closed"'],
  usual: 'list',
  commands: {
    list: list('GET /rate-overrides', {
      description: 'List the overrides that are in force.',
      rows: (answer: { overrides: OverrideAnswer[] }) => answer.overrides,
      empty: 'No override is in force. Set one: payin rates override set rub 95 --until 2h --reason <why>',
      columns: {
        CURRENCY: 'currency',
        '1 USDT>': 'price',
        UNTIL: ({ endsAt }) => printTime(endsAt),
        BY: 'setBy',
        'REASON~': 'reason',
      },
    }),
    set: request('PUT /rates/{currency}/override', {
      description: 'Set the rate of a currency until a time, or for a span.',
      inputs: {
        currency,
        price: argument('<price>', 'price of 1 USDT, at most 8 decimals', exactNumber),
        until: required('--until <time>', 'a time with its zone, or a span such as 2h', timeOrSpan),
        reason: required('--reason <text>', 'why'),
        outsideBand: flag('--outside-band', 'accept a price far from the last one'),
      },
      body: async ({ currency: _currency, until, ...given }, session) => ({
        ...given,
        until: typeof until === 'number' ? new Date(Date.parse(await session.now()) + until).toISOString() : until,
      }),
      print: ({ currency: of, price, endsAt, proposed }: OverrideAnswer) =>
        proposed === true ? printProposal(of, price) : `1 USDT = ${price} ${of}, until ${printTime(endsAt)}.`,
    }),
    end: request('DELETE /rates/{currency}/override', {
      description: 'End an override: the sources set the rate again.',
      inputs: { currency },
      print: ({ currency: of, proposed }: { currency: string; proposed?: boolean }) =>
        proposed === true
          ? `Proposed: the override of ${of} ends once another operator ends it, too, within a day.`
          : `The override of ${of} has ended.`,
    }),
  },
}

export const rateCommands: Group = {
  description: 'Prices of 1 USDT, by currency.',
  examples: ['payin rates set rub 92.5', 'payin rates set rub 92.5 --max-age 10m --source exchange'],
  commands: {
    set: request('PUT /rates/{currency}', {
      description: 'Set the rate of a currency from now on.',
      inputs: {
        currency,
        price: argument('<price>', 'price of 1 USDT, at most 8 decimals', exactNumber),
        source: option('--source <text>', 'where the price comes from; default: manual'),
        maxAgeMs: option('--max-age <span>', 'how long it may be used, such as 10m; default: until the next one', span),
        outsideBand: flag('--outside-band', 'accept a price far from the last one'),
      },
      print: ({ currency: of, price, validUntil, proposed }: RateAnswer) =>
        proposed === true
          ? printProposal(of, price)
          : `1 USDT = ${price} ${of}, until ${printTime(validUntil) ?? 'the next rate'}.`,
    }),
    list: list('GET /rates', {
      description: 'List the current rates.',
      rows: ({ rates, proposals }: { rates: RateAnswer[]; proposals: RateProposal[] }) => [
        ...rates,
        ...proposals.map(({ proposedBy, proposedAt, endsAt, source: setBy, ...price }) => ({
          ...{
            ...price,
            source: `proposed by ${proposedBy.replace(/^operator:/, '')} (${setBy ?? 'again'})`,
            createdAt: proposedAt,
          },
          ...{ validUntil: endsAt, usable: false, proposed: true },
        })),
      ],
      empty: 'No rates yet, so no payment can be created. Set one: payin rates set rub 92.5',
      columns: {
        CURRENCY: 'currency',
        '1 USDT>': 'price',
        SOURCE: 'source',
        SET: ({ createdAt }) => printTime(createdAt),
        'VALID UNTIL': ({ validUntil }) => printTime(validUntil) ?? 'the next rate',
        USABLE: ({ usable, proposed, source: setBy }) =>
          proposed === true
            ? 'once another operator sets the same'
            : usable
              ? setBy === demoRateSource
                ? 'in the sandbox'
                : 'yes'
              : 'NO',
      },
    }),
    'paid-shares': list('GET /rates/paid-shares', {
      description:
        'Compare how many payments of each live merchant are paid when the rate moves in the payer’s favour.',
      rows: (answer: { merchants: PaidSharesAnswer[] }) => answer.merchants,
      empty: 'No payment of a live merchant has ended within 30 days.',
      columns: {
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        'FAVOURED>': 'favoured',
        'PAID %>': (shares) => percentsPaid(shares).favoured,
        'OTHERS>': 'others',
        'OTHERS PAID %>': (shares) => percentsPaid(shares).others,
      },
    }),
    sources: group(rateSourceCommands),
    override: group(rateOverrideCommands),
  },
}

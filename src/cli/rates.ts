import { demoRateSource } from '../rules/money/rate.ts'
import { type RateAnswer, rateOverrides, type RateProposal, rates } from '../operations/rates.ts'
import { type RateSourceAnswer, rateSources } from '../operations/rate-sources.ts'
import { group, list } from './commands.ts'
import { argument, resolved } from './inputs.ts'
import { nounCommands } from './noun-commands.ts'
import { printTime } from './print-table.ts'
import { pickListed } from './resolve-name.ts'
import type { Session } from './session.ts'

/** The id of the source with this name, after its currency if several have the name, or with this id. */
const findSource = async (session: Session, typed: string): Promise<string> => {
  const { body } = await session.call<{ sources: RateSourceAnswer[] }>('GET /rate-sources')
  const listed = body.sources.map(({ id, name: called, currency: of }) => ({
    ...{ id, names: [called, `${of} ${called}`] },
    about: `${of} ${called}`,
  }))
  return pickListed(listed, typed, { kind: 'source of rates', shownBy: 'payin rates sources' })
}

const source = resolved(argument('<source>', 'name of the source, such as "rub exchange", or its id'), findSource)

/** The rates in force, and below them the prices that wait for another operator. */
const listRates = list('GET /rates', {
  description: 'List the current rates.',
  rows: ({ rates: current, proposals }: { rates: RateAnswer[]; proposals: RateProposal[] }) => [
    ...current,
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
})

export const rateCommands = nounCommands(rates, {
  list: listRates,
  sources: group(nounCommands(rateSources, {}, source)),
  override: group(nounCommands(rateOverrides)),
})

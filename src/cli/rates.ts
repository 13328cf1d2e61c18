import { rateOverrides, rates } from '../operations/rates.ts'
import { type RateSourceAnswer, rateSources } from '../operations/rate-sources.ts'
import { group } from './commands.ts'
import { argument, resolved } from './inputs.ts'
import { nounCommands } from './noun-commands.ts'
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

export const rateCommands = nounCommands(rates, {
  sources: group(nounCommands(rateSources, {}, source)),
  override: group(nounCommands(rateOverrides)),
})

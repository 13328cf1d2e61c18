import { isInSpan, readTypedName } from '../domain/id-text.ts'
import { Failure } from './failure.ts'

/** Something of a short list: its id, its names, and what tells it apart from others with the same name. */
export type Listed = { readonly id: string; readonly names: readonly string[]; readonly about: string }

const mostShown = 10

/**
 * The id of what a text means in a list, the newest first: by its id, of which the beginning is enough, by a name, or
 * `last` for the first one. Refuses what is not there and what may be several, with those that there are.
 */
export const pickListed = (
  listed: readonly Listed[],
  typed: string,
  what: { readonly kind: string; readonly shownBy: string },
): string => {
  const name = typed.toLowerCase()
  const wanted = readTypedName(typed)
  const named = listed.filter(({ names }) => names.some((each) => each.toLowerCase() === name))
  const meant = named.length > 0 ? named : listed.filter(({ id }) => isInSpan(id, wanted))
  const found = meant.length === 0 && name === 'last' ? listed.slice(0, 1) : meant
  const [only, ...others] = found
  if (only && others.length === 0) return only.id
  const candidates = (only ? found : listed).slice(0, mostShown).map(({ id, about }) => ({ id, about }))
  if (only) {
    throw new Failure({
      code: 'ambiguous',
      detail: `"${typed}" is the name of more than one ${what.kind}.`,
      hint: 'Type one of these ids:',
      candidates,
    })
  }
  throw new Failure({
    code: 'resource_not_found',
    detail: `There is no ${what.kind} "${typed}".`,
    hint: `${what.shownBy} shows what there is.`,
    candidates,
  })
}

import { array, type Codec, type Codecs, columnsOf, query, text, uuid } from './query.ts'

/** Parameters of a query by a shortened id; see `readTypedName`. */
export const typedId = { least: uuid, greatest: uuid, ending: text }

/** The same, for what also has another name. */
export const typedName = { typed: text, ...typedId }

/** Enough rows to show that a name is ambiguous; also the most that are read for one owner. */
export const fewRows = 'limit 6'

/**
 * The rows of `select`, which is for one `owner.id` because the indexes begin with the owner, that meet any of several
 * conditions, for each of the owners in a parameter.
 */
const ofEachOwner = (
  owners: string,
  select: string,
  ...conditions: readonly string[]
): string => `select distinct found.* from unnest(:${owners}) as owner (id) cross join lateral (
    ${conditions.map((condition) => `(${select} and ${condition} ${fewRows})`).join(' union all ')}
  ) as found ${fewRows}`

/** The condition that a table's id is in the span. */
export const inSpan = (table: string): string =>
  `${table}.id between :least and :greatest and right(${table}.id::text, char_length(:ending)) = :ending`

const byNameOf =
  <Ids extends string>(owners: Ids, owner: string) =>
  <const Row extends Codecs>(
    name: string,
    table: string,
    row: Row,
    isNamed: string,
    select = `select ${columnsOf(row, table)} from ${table} where ${table}.${owner} = owner.id`,
  ) =>
    query(name, {
      parameters: { ...({ [owners]: array(uuid) } as Record<Ids, Codec<readonly string[]>>), ...typedName },
      row,
      text: ofEachOwner(owners, select, isNamed, inSpan(table)),
    })

/** A query for rows of merchants by a name that somebody typed, or a shortened id; `select` is for one `owner.id`. */
export const byName = byNameOf('merchantIds', 'merchant_id')

/** The same for rows of requisites. */
export const byNameOnRequisite = byNameOf('requisiteIds', 'requisite_id')

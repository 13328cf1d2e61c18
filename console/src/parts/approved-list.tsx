import type { AccountName, Approved } from '../../../src/operations/fields.ts'
import type { Static } from '../../../src/operations/schema.ts'
import { requisiteName } from '../api/requisites.ts'

/** How operators know a requisite, or its id if it has no name here. */
export const accountText = (named: Static<typeof AccountName> | undefined, id?: string): string | undefined =>
  named === undefined ? id : requisiteName(named)

/** All that an approval approves. */
export const ApprovedList = ({ of }: { readonly of: readonly Approved[] }) => (
  <ul className="plain-rows">
    {of.map(({ name, says }) => (
      <li key={name}>
        <span className="quiet">{name}: </span>
        {says}
      </li>
    ))}
  </ul>
)

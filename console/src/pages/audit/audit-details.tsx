import { useQuery } from '@tanstack/react-query'
import type { AuditEntryAnswer } from '../../../../src/operations/audit.ts'
import { headingOf } from '../../../../src/operations/field.ts'
import { api } from '../../api/client.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { say } from '../../language.ts'
import { Fact, Facts } from '../../parts/facts.tsx'

type Fields = ReadonlyMap<string, string>

/** A value in words; several in one line. */
const sayValue = (value: unknown): string => {
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no')
  if (Array.isArray(value)) return value.map(sayValue).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (!Array.isArray(value) || value.some(isGroup))

/** The values of details by their paths, such as `settings.returnUrl`, or `transfers.1.outcome` of the first of several. */
const flatten = (value: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] => {
  if (!isGroup(value)) return [[path.join('.'), sayValue(value)]]
  return Object.entries(value).flatMap(([name, member], index) =>
    flatten(member, [...path, Array.isArray(value) ? String(index + 1) : name]),
  )
}

const fieldsOf = ({ details }: AuditEntryAnswer): Fields => new Map(flatten(details).filter(([path]) => path !== ''))

/** What a path is called, as the fields of declarations are: `Settings · Return hosts`. */
const pathName = (path: string): string =>
  path
    .split('.')
    .map((name) => say(headingOf(name)))
    .join(' · ')

/** The details in one line. */
export const sayDetails = (entry: AuditEntryAnswer): string =>
  [...fieldsOf(entry)].map(([path, value]) => `${pathName(path)}: ${value}`).join('; ')

/** The values of the same fields in the last entry that changed them on the same subject. */
const useFormer = (entry: AuditEntryAnswer): Fields => {
  const { sequence, subject } = entry
  const { data } = useQuery({
    queryKey: ['entries', 'before', sequence],
    queryFn: async () =>
      (
        await api.get<{ entries: AuditEntryAnswer[] }>('/audit/entries', {
          subject,
          cursor: String(sequence),
          limit: '100',
        })
      ).entries,
    staleTime: Infinity,
  })
  const former = new Map<string, string>()
  for (const each of data ?? []) {
    if (each.subject !== subject) continue
    for (const [path, value] of fieldsOf(each)) if (!former.has(path)) former.set(path, value)
  }
  return former
}

/** One entry of the audit: each value next to the one before. */
export const AuditDetails = ({ entry }: { readonly entry: AuditEntryAnswer }) => {
  const fields = fieldsOf(entry)
  const former = useFormer(entry)
  return (
    <>
      <Facts>
        <Fact name="Who">{entry.actor}</Fact>
        <Fact name="When" at={entry.at} />
        <Fact name="Object">{entry.subject}</Fact>
        <Fact name="Number">{entry.sequence}</Fact>
      </Facts>
      <section>
        <h2>Details</h2>
        {fields.size === 0 && <p className="quiet">No details.</p>}
        {fields.size > 0 && (
          <div className="difference-scroll">
            <table className="difference-table">
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Before</th>
                  <th scope="col">After</th>
                </tr>
              </thead>
              <tbody>
                {[...fields].map(([path, value]) => {
                  const was = former.get(path)
                  const hasChanged = was !== undefined && was !== value
                  return (
                    <tr key={path} className={hasChanged ? 'changed' : ''}>
                      <th scope="row">{pathName(path)}</th>
                      <td className="quiet">{was === undefined ? '–' : hasChanged ? <del>{was}</del> : was}</td>
                      <td>{hasChanged ? <ins>{value}</ins> : value}</td>
                    </tr>
                  )
                })}
              </tbody>
            </table>
          </div>
        )}
        <p className="quiet small">Before: from an earlier entry about the same thing, if there is one.</p>
      </section>
      <section>
        <h2>Its link of the chain</h2>
        <CopyText text={entry.hash} />
      </section>
    </>
  )
}

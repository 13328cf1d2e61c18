import { useQuery } from '@tanstack/react-query'
import type { AuditEntryAnswer } from '../../../../src/operations/audit.ts'
import { api } from '../../api/client.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'

type Fields = ReadonlyMap<string, string>

/** The values of details by their paths, such as `settings.returnUrl`. */
const flatten = (value: unknown, path = ''): readonly (readonly [string, string])[] => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[path, typeof value === 'string' ? value : JSON.stringify(value)]]
  return Object.entries(value).flatMap(([name, member]) => flatten(member, path === '' ? name : `${path}.${name}`))
}

const fieldsOf = ({ details }: AuditEntryAnswer): Fields => new Map(flatten(details).filter(([path]) => path !== ''))

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
                      <th scope="row">{path}</th>
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

import { Skeleton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { LedgerPreview as Preview } from '../../../src/operations/fields.ts'
import { api } from '../api/client.ts'
import { LedgerEntries } from './ledger-entries.tsx'
import { say } from '../language.ts'

type Props = {
  readonly path: string
  readonly body: object
  /** Names of payments by the ids in accounts. */
  readonly names?: Readonly<Record<string, string>>
}

/** What an act would write to the ledger: the service tries it at `path`; if it would refuse, the reason is shown. */
export const LedgerPreview = ({ path, body, names = {} }: Props) => {
  const [text] = useDebouncedValue(JSON.stringify(body), 350)
  const { data, error } = useQuery({
    queryKey: ['preview', path, text],
    queryFn: () => api.post<Preview>(path, JSON.parse(text)),
    staleTime: 10_000,
  })
  if (error !== null)
    return (
      <p className="effect-refused" role="alert">
        {say(error.message)}
      </p>
    )
  return (
    <section className="effect" aria-label="What it writes">
      {data === undefined ? (
        <Skeleton height={60} aria-label="Previewing" />
      ) : (
        <LedgerEntries entries={data.entries} names={names} empty="Nothing is written to the ledger." />
      )}
    </section>
  )
}

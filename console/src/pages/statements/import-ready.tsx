import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import type { StatementAnswer } from '../../../../src/operations/statements.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { language, say } from '../../language.ts'

/** Statements that are looked through for those whose preview waits. */
const newest = 100

/** The newest statements that can be imported. */
const readyStatements = {
  queryKey: ['statements', 'ready'],
  queryFn: async () => {
    const { statements } = await api.get<{ statements: StatementAnswer[] }>('/statements', { limit: String(newest) })
    return statements.filter(({ state }) => state === 'ready')
  },
}

const describe = ({ fileName, counts }: StatementAnswer): string => {
  const parts = [
    `${counts.new.toLocaleString(language)} new`,
    ...(counts.alreadyKnown > 0 ? [`${counts.alreadyKnown.toLocaleString(language)} already known`] : []),
    ...(counts.duplicates > 0 ? [`${counts.duplicates.toLocaleString(language)} duplicates`] : []),
    ...(counts.possibleDuplicates > 0
      ? [`${counts.possibleDuplicates.toLocaleString(language)} may be duplicates`]
      : []),
    ...(counts.outgoing > 0 ? [`${counts.outgoing.toLocaleString(language)} out`] : []),
  ]
  return `${fileName}: ${parts.join(', ')}`
}

/** Imports all files whose previews wait, in the order in which they were uploaded. */
export const ImportReady = () => {
  const { data: ready = [] } = useQuery(readyStatements)
  if (ready.length < 2) return null
  const run = async (): Promise<number> => {
    let imported = 0
    for (const { id, fileName } of ready.toReversed()) {
      try {
        await api.post(`/statements/${id}/confirm`, {})
        imported++
      } catch (error) {
        const message = say(error instanceof Error ? error.message : String(error))
        notifications.show({ color: 'red', title: `${fileName} is not imported`, message, autoClose: false })
      }
    }
    return imported
  }
  return (
    <ActButton
      text={`Import all ${ready.length} ready…`}
      title={`Import ${ready.length} files?`}
      confirm={`Import ${ready.length} files`}
      run={run}
      changes={['statements']}
      done={(imported) => `${imported} of ${ready.length} files are being imported`}
    >
      <ul className="notes">
        {ready.map((each) => (
          <li key={each.id}>{describe(each)}</li>
        ))}
      </ul>
      <p className="quiet">What clearly matches one payment is credited; everything else waits in Matching.</p>
    </ActButton>
  )
}

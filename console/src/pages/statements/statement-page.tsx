import './statements.css'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Skeleton } from '@mantine/core'
import { StatementState } from '../../../../src/operations/statements.ts'
import { isUnderWay, progressEveryMs, statement } from '../../api/statements.ts'
import { useLive } from '../../live.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { StatementActions } from './statement-actions.tsx'
import { StatementFaults } from './statement-faults.tsx'
import { StatementFacts } from './statement-facts.tsx'
import { StatementRows } from './statement-rows.tsx'
import { StatementWork } from './statement-work.tsx'
import { useFollowed, UploadList } from './upload-list.tsx'

const route = getRouteApi('/inside/statements/$id')

/** One statement: how the file was read, what importing it would do or has done, and its rows. */
export const StatementPage = () => {
  const { id } = route.useParams()
  const { state } = route.useSearch()
  const { refetchInterval } = useLive()
  const { data, error, refetch } = useQuery({
    ...statement(id),
    refetchInterval: (query) =>
      query.state.data !== undefined && isUnderWay(query.state.data) ? progressEveryMs : refetchInterval,
  })
  useFollowed()
  if (data === undefined)
    return error === null ? (
      <Skeleton height={320} radius={10} role="status" aria-label="Loading" />
    ) : (
      <ProblemMessage error={error} onRetry={() => void refetch()} />
    )
  return (
    <>
      <nav className="breadcrumb" aria-label="Where this is">
        <Link to="/statements">Statements</Link>
        <span className="quiet" aria-hidden="true">
          ›
        </span>
        <span className="quiet cut">{data.fileName}</span>
      </nav>
      <PageHead title={data.fileName} about={<StatusBadge of={StatementState} word={data.state} />}>
        <StatementActions statement={data} />
        <CsvButton path={`/statements/${id}/rows`} query={{ state }} />
      </PageHead>
      <UploadList shown={id} />
      <div className="statement">
        <div className="statement-facts">
          <StatementWork statement={data} />
          <StatementFacts statement={data} />
        </div>
        {data.faults.length > 0 ? <StatementFaults faults={data.faults} /> : <StatementRows statement={data} />}
      </div>
    </>
  )
}

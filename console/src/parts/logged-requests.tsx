import { queryOptions } from '@tanstack/react-query'
import { type RequestAnswer, requests, type RequestSummaryAnswer } from '../../../src/operations/requests.ts'
import { api } from '../api/client.ts'
import { columnsOf } from '../table/field-columns.tsx'
import { Fact, Facts } from './facts.tsx'
import { Moment } from './moment.tsx'
import type { Details } from './side-drawer.tsx'
import { Badge } from './status-badge.tsx'
import { readableBody } from './readable-body.ts'

const StatusOf = ({ request: { status, code } }: { readonly request: RequestSummaryAnswer }) => (
  <Badge tone={status < 400 ? 'good' : 'bad'}>{code === undefined ? String(status) : `${status} ${code}`}</Badge>
)

/** Columns of a list of the requests of a merchant's programs. */
export const requestColumns = columnsOf<RequestSummaryAnswer>(requests.requests, [
  { field: 'at', rank: 620 },
  {
    name: 'Request',
    width: 150,
    grows: 1.6,
    cell: ({ operation, method, path, at }) => (
      <>
        <span className="strong">{operation}</span>
        <span className="second">
          {method} {path} · <Moment at={at} show="relative" />
        </span>
      </>
    ),
  },
  { name: 'Answer', width: 96, grows: 0.8, cell: (request) => <StatusOf request={request} /> },
  { field: 'durationMs', rank: 760 },
  { field: 'times', rank: 760 },
])

const Body = ({ name, text }: { readonly name: string; readonly text: string | undefined }) => (
  <section>
    <h2>{name}</h2>
    {text === undefined ? (
      <p className="quiet">Not stored.</p>
    ) : (
      <pre className="excerpt small" tabIndex={0}>
        {readableBody(text)}
      </pre>
    )}
  </section>
)

const Content = ({ request }: { readonly request: RequestAnswer }) => (
  <>
    <div className="drawer-amount">
      <StatusOf request={request} />
      <span className="quiet">
        {request.method} {request.path}
      </span>
    </div>
    <Facts>
      <Fact name="When" at={request.at} />
      <Fact name="Took">{request.durationMs} ms</Fact>
      {request.times > 1 && <Fact name="Counts">{request.times} similar requests</Fact>}
      <Fact name="Request">{request.id}</Fact>
    </Facts>
    <Body name="Request body" text={request.requestBody} />
    <Body name="Response body" text={request.answerBody} />
  </>
)

/** A request of a list with its bodies, as far as they are kept. */
export const requestDetails = (path: string): Details<RequestAnswer> => ({
  read: (id) =>
    queryOptions({
      queryKey: ['requests', 'one', path, id],
      queryFn: () => api.get<RequestAnswer>(`${path}/${id}`),
      refetchInterval: false,
    }),
  name: 'Request',
  title: ({ operation }) => operation,
  content: (request) => <Content request={request} />,
})

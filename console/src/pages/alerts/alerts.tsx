import { alertRuleNames } from '../../../../src/rules/notices/alert.ts'
import { alerts, IncidentAnswer } from '../../../../src/operations/alerts.ts'
import { api, type Query } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { AlertTabs } from './alert-tabs.tsx'
import { personName } from '../../parts/field-values.tsx'
import { say } from '../../language.ts'

const changes = ['incidents', 'overview']

const StateBadge = ({ incident }: { readonly incident: IncidentAnswer }) => {
  const { closedAt, acknowledgedAt } = incident
  if (closedAt !== undefined) return <Badge tone="over">over</Badge>
  if (acknowledgedAt !== undefined) return <Badge tone="live">acknowledged</Badge>
  return <Badge tone="bad">open</Badge>
}

/** Whether nobody has taken care of it yet. */
const isNew = ({ closedAt, acknowledgedAt }: IncidentAnswer): boolean =>
  closedAt === undefined && acknowledgedAt === undefined

const { list } = alerts.operations

const state = {
  ...{ name: 'State', width: 116, rank: 1 },
  cell: (incident: IncidentAnswer) => (
    <span>
      <StateBadge incident={incident} />
    </span>
  ),
}

const columns = columnsOf<IncidentAnswer>(list, [
  {
    ...{ name: 'What', width: 160, grows: 3 },
    cell: (incident, isShown) =>
      isShown('State') ? (
        <>
          <span className="strong">{say(incident.summary)}</span>
          <span className="second">{say(incident.rule)}</span>
        </>
      ) : (
        <span className={isNew(incident) ? 'two-lines strong' : 'two-lines'} title={say(incident.summary)}>
          {say(incident.summary)}
        </span>
      ),
  },
  state,
  { name: 'Since', width: 84, rank: 1, cell: ({ since }) => <Moment at={since} show="relative" /> },
  { field: 'closedAt', name: 'Ended' },
  {
    ...{ name: 'Seen by', width: 100 },
    cell: ({ acknowledgedBy }) => personName(acknowledgedBy),
  },
])

const Details = ({ incident }: { readonly incident: IncidentAnswer }) => {
  const mayAct = useMay('support')
  return (
    <>
      <p className="strong">{say(incident.summary)}</p>
      {mayAct && incident.closedAt === undefined && (
        <div className="acts">
          {incident.acknowledgedAt === undefined && (
            <ActButton
              text="I know…"
              variant="filled"
              title="Acknowledge it?"
              confirm="Acknowledge"
              run={() => api.post(`/alerts/${incident.id}/acknowledge`, undefined)}
              changes={changes}
              done="Acknowledged: from now on only its end is reported"
            >
              <p>Your colleagues see that you are taking care of it. It is not reported again until it closes.</p>
            </ActButton>
          )}
        </div>
      )}
      <FieldFacts
        of={IncidentAnswer}
        value={incident}
        facts={[
          ...([state, 'rule', 'since'] as const),
          { field: 'openedAt', name: 'Reported' },
          { field: 'closedAt', name: 'Over' },
          { field: 'remindAt', name: 'Again' },
          { field: 'acknowledgedAt', name: 'Acknowledged', second: 'acknowledgedBy' },
        ]}
      />
      <section>
        <h2>In a terminal</h2>
        <CopyText text={incident.command} />
      </section>
      <p className="quiet small">It closes when its cause is gone; it cannot be closed by hand.</p>
    </>
  )
}

const toQuery = ({ open = 'true', ...filters }: Query): Query => ({
  ...filters,
  open: open === 'all' ? undefined : open,
})

/** The incidents that rules have found. */
export const Alerts = () => (
  <ListPage<IncidentAnswer>
    title="Alerts"
    list={list}
    columns={columns}
    keyOf={({ id }) => id}
    filters={[
      {
        name: 'open',
        label: 'State',
        options: [
          { value: 'true', label: 'Open' },
          { value: 'false', label: 'Over' },
          { value: 'all', label: 'All' },
        ],
        usual: 'true',
        width: 100,
      },
      { name: 'rule', label: 'Any rule', options: alertRuleNames, searchable: true, width: 200 },
    ]}
    toQuery={toQuery}
    empty={
      <EmptyState title="Nothing needs you">
        Rules watch the inbox, deadlines, endpoints, rates and the books every minute. What they find is listed here and
        sent to the channels until it is over.
      </EmptyState>
    }
    details={{ title: () => 'Incident', content: (incident) => <Details incident={incident} /> }}
    tabs={<AlertTabs />}
  />
)

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  approvedOfTemplate,
  messageTemplates,
  TemplateAnswer,
  type TemplateTrial,
} from '../../../../src/operations/message-templates.ts'
import { api } from '../../api/client.ts'
import { useLiveQuery } from '../../live.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { ApprovedList } from '../../parts/approved-list.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { personName } from '../../parts/field-values.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { TrialResult } from './trial.tsx'

const { list } = messageTemplates.operations

const changes = ['templates', 'messages', 'transfers', 'phones']

const columns = columnsOf<TemplateAnswer>(list, [
  { field: 'template', name: 'Template', width: 180, grows: 3, isStrong: true },
  'state',
  { field: 'kind', name: 'What it says' },
  { field: 'bank', name: 'Bank', width: 110 },
  { field: 'read', name: 'Read' },
  { field: 'recorded', name: 'Recorded' },
])

const Approve = ({ template: known }: { readonly template: TemplateAnswer }) => {
  // Lists are read again while the dialog is open.
  const [template, setTemplate] = useState(known)
  return (
    <ActButton
      text="Approve…"
      title="Approve the template?"
      confirm="Approve the template"
      onOpen={() => setTemplate(known)}
      run={() => api.post(`/message-templates/${template.id}/approve`, { version: template.unapproved?.version })}
      changes={changes}
      done="The template is approved"
    >
      <p>
        {personName(template.unapproved?.by)} alone taught it. Once you approve it, messages are read with it, also
        those that wait. Make sure that the bank writes this about money that comes in, and that each gap is where it
        belongs.
      </p>
      <ApprovedList of={approvedOfTemplate(template)} />
    </ActButton>
  )
}

const Withdraw = ({ template: { id, recorded } }: { readonly template: TemplateAnswer }) => (
  <ActButton
    text="Withdraw…"
    title="Withdraw the template?"
    confirm="Withdraw the template"
    run={() => api.post(`/message-templates/${id}/withdraw`, undefined)}
    changes={changes}
    done="The template is withdrawn"
    isGrave
  >
    <p>Nothing is read with it any more. What it has read without bringing money waits again.</p>
    {recorded > 0 && (
      <p>Money was recorded from its messages ({recorded}), and stays: look at it in the inbox and the payments.</p>
    )}
  </ActButton>
)

const Acts = ({ template }: { readonly template: TemplateAnswer }) => {
  const mayConfigure = useMay('configure')
  const mayApprove = useMay('reconcile') && template.unapproved !== undefined
  if (template.state === 'withdrawn' || (!mayConfigure && !mayApprove)) return null
  return (
    <div className="acts">
      {mayApprove && <Approve template={template} />}
      {mayConfigure && <Withdraw template={template} />}
    </div>
  )
}

const Trial = ({ id }: { readonly id: string }) => {
  const { data, error } = useLiveQuery({
    queryKey: ['templates', 'trial', id],
    queryFn: () => api.get<TemplateTrial>(`/message-templates/${id}/trial`),
  })
  return (
    <section>
      <h2>What it reads</h2>
      {error !== null && <ProblemMessage error={error} />}
      {data !== undefined && <TrialResult trial={data} />}
    </section>
  )
}

/** What operators have taught of banks' messages, what waits for an approval, and what was withdrawn. */
export const Templates = () => (
  <ListPage<TemplateAnswer>
    title="Taught templates"
    list={list}
    columns={columns}
    keyOf={({ id }) => id}
    actions={
      <Button variant="default" component={Link} to="/phones/messages">
        Messages
      </Button>
    }
    details={{
      title: ({ bank }) => bank,
      content: (template) => (
        <>
          <Acts template={template} />
          <p className="bank-text">{template.template}</p>
          <FieldFacts
            of={TemplateAnswer}
            value={template}
            facts={[
              { field: 'state', name: 'State' },
              { field: 'kind', name: 'What it says' },
              { field: 'read', name: 'Messages read' },
              { field: 'recorded', name: 'Recorded' },
              { field: 'taughtBy', name: 'Taught by' },
              { field: 'taughtAt', name: 'Taught' },
              { field: 'usedSince', name: 'Used since' },
              { field: 'withdrawnBy', name: 'Withdrawn by' },
              { field: 'withdrawnAt', name: 'Withdrawn' },
            ]}
          />
          {template.state !== 'withdrawn' && <Trial id={template.id} />}
        </>
      ),
    }}
    empty={
      <EmptyState title="Nothing was taught yet">
        When a bank writes a text that nobody knows, its message waits. Teach there what it says.
      </EmptyState>
    }
  />
)

import { type TemplateTrial, TriedMessage } from '../../../../src/operations/message-templates.ts'
import { FieldFacts } from '../../parts/field-facts.tsx'

/** How many messages are shown; the counts are of all. */
const shown = 8

/** What a template changes for the messages that are kept. */
export const TrialResult = ({ trial: { tried, reads, contradicts, messages } }: { readonly trial: TemplateTrial }) => (
  <>
    <p>
      Messages tried: {tried}. Newly read: {reads}.{' '}
      {contradicts > 0 && (
        <strong className="overdue">
          Contradicted: {contradicts}, which are read already. It cannot be saved: mark less, or withdraw the other one.
        </strong>
      )}
    </p>
    <ul className="tried-messages">
      {messages.slice(0, shown).map((message) => (
        <li key={message.messageId}>
          <FieldFacts
            of={TriedMessage}
            value={message}
            facts={[
              { field: 'receivedAt', name: 'Received' },
              { field: 'change', name: 'With the template' },
              { field: 'kindNow', name: 'Read now as' },
              { field: 'amountNow', name: 'Amount now' },
              { field: 'kind', name: 'Then read as' },
              { field: 'amount', name: 'Amount' },
              { field: 'balance', name: 'Balance after it' },
              { field: 'digits', name: 'Digits of the account' },
              { field: 'state', name: 'State' },
            ]}
          />
        </li>
      ))}
    </ul>
    {messages.length > shown && <p className="quiet">And {messages.length - shown} more.</p>}
  </>
)

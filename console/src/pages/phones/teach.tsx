import { Button, Select, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { LessonAnswer, type TemplateAnswer } from '../../../../src/operations/message-templates.ts'
import { fieldsOf } from '../../../../src/operations/field.ts'
import { type MarkedField, type TextMark, writeMarkedText } from '../../../../src/rules/phones/marked-text.ts'
import { type TaughtKind, taughtKinds } from '../../../../src/rules/phones/phone.ts'
import { api } from '../../api/client.ts'
import { choicesOf, say } from '../../language.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'
import { revealText } from './reveal-text.tsx'
import { TrialResult } from './trial.tsx'

const names: Readonly<Record<MarkedField, string>> = {
  amount: 'Amount',
  balance: 'Balance',
  fee: 'Fee',
  account: 'Account',
  senderName: 'Sender',
  senderBank: "Sender's bank",
  senderPhone: "Sender's phone",
  at: 'Time',
  comment: 'Comment',
  text: 'Any text',
}

const ofAll = ['amount', 'balance', 'fee', 'account', 'at'] as const
const ofCredits = ['senderName', 'senderBank', 'senderPhone', 'comment'] as const

/** What can be marked: only credits have a payer, and no text of theirs may be just any. */
const markable = (kind: TaughtKind): readonly MarkedField[] => [
  ...ofAll,
  ...(kind === 'credit' ? ofCredits : (['text'] as const)),
]

type Lesson = { readonly kind: TaughtKind; readonly text: string | undefined; readonly marks: readonly TextMark[] }

const nothing: Lesson = { kind: 'credit', text: undefined, marks: [] }

/** The part of a text that is selected, without the spaces around it. */
const selected = (field: HTMLTextAreaElement): Pick<TextMark, 'from' | 'to'> | undefined => {
  const { value, selectionStart, selectionEnd } = field
  const part = value.slice(selectionStart, selectionEnd)
  const from = selectionStart + part.length - part.trimStart().length
  const to = selectionEnd - (part.length - part.trimEnd().length)
  return from < to ? { from, to } : undefined
}

const Marking = ({ lesson, onChange }: { readonly lesson: Lesson; readonly onChange: (lesson: Lesson) => void }) => {
  const area = useRef<HTMLTextAreaElement>(null)
  const { kind, text = '', marks } = lesson
  const mark = (field: MarkedField): void => {
    const part = area.current === null ? undefined : selected(area.current)
    if (part === undefined) return area.current?.focus()
    const others = marks.filter(({ from, to }) => to <= part.from || from >= part.to)
    onChange({ ...lesson, marks: [...others, { field, ...part }].toSorted((a, b) => a.from - b.from) })
  }
  return (
    <>
      <Select
        label="What the message says"
        data={choicesOf(taughtKinds)}
        value={kind}
        onChange={(chosen) => {
          const wanted = taughtKinds.find((each) => each === chosen) ?? kind
          const allowed = markable(wanted)
          onChange({ ...lesson, kind: wanted, marks: marks.filter(({ field }) => allowed.includes(field)) })
        }}
        comboboxProps={{ zIndex: 400 }}
      />
      <Textarea
        ref={area}
        label="What the bank has written"
        description="Select a part of the text, then say what it is. What you do not mark must be the same in every message."
        value={text}
        readOnly
        autosize
        minRows={3}
      />
      <div className="acts" role="group" aria-label={say('The selected part is')}>
        {markable(kind).map((field) => (
          <Button key={field} variant="default" size="xs" onClick={() => mark(field)}>
            {names[field]}
          </Button>
        ))}
      </div>
      {marks.length > 0 && (
        <ul className="marks">
          {marks.map((each) => (
            <li key={each.from}>
              <span className="quiet">{names[each.field]}</span>
              <span className="bank-text">{text.slice(each.from, each.to)}</span>
              <Button
                variant="subtle"
                size="compact-xs"
                aria-label={say(`Unmark ${names[each.field]}`)}
                onClick={() => onChange({ ...lesson, marks: marks.filter((other) => other !== each) })}
              >
                <Icon name="close" size={13} />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const Tried = ({ tried }: { readonly tried: LessonAnswer }) => (
  <div className="effect" role="status">
    <p className="bank-text">{tried.template}</p>
    <Facts>
      {(fieldsOf(LessonAnswer).find(({ name }) => name === 'fields')?.fields ?? []).map(({ name, heading }) => {
        const value = tried.fields[name as keyof typeof tried.fields]
        return value === undefined ? null : <Fact key={name} name={say(heading)} children={value} />
      })}
    </Facts>
    {tried.fixed.length > 0 && (
      <p className="text-wait">Only messages with the same numbers are read: {tried.fixed.join(', ')}</p>
    )}
    <TrialResult trial={tried} />
  </div>
)

/** Teaches what a message says that no template has: its parts are marked, and the template is tried before it is saved. */
export const Teach = ({ messageId, bank }: { readonly messageId: string; readonly bank: string }) => {
  const [lesson, setLesson] = useState(nothing)
  const [reason, setReason] = useState('')
  const { kind, text, marks } = lesson
  const asked = { messageId, kind, marked: text === undefined ? '' : writeMarkedText({ text, marks }) }
  const reveal = useMutation({
    mutationFn: () => revealText(messageId, reason),
    onSuccess: (revealed) => setLesson({ ...nothing, text: revealed }),
  })
  const trial = useMutation({ mutationFn: () => api.post<LessonAnswer>('/message-templates/try', asked) })
  const change = (changed: Lesson): void => {
    trial.reset()
    setLesson(changed)
  }
  return (
    <ActButton
      text="Teach…"
      title={`What does ${bank} say?`}
      confirm="Save the template"
      size="lg"
      onOpen={() => {
        setReason('')
        change(nothing)
        reveal.reset()
      }}
      isReady={trial.data !== undefined && trial.data.contradicts === 0}
      run={() => api.post<TemplateAnswer>('/message-templates', asked)}
      changes={['messages', 'templates', 'phones', 'transfers']}
      done={({ state, read }) =>
        state === 'proposed'
          ? 'The template waits until another operator approves it'
          : `The template is saved. Messages read: ${read}`
      }
    >
      {text === undefined ? (
        <>
          <p>The text of the message is revealed first. The audit keeps your name and the reason, not the text.</p>
          <ReasonField value={reason} onChange={setReason} isFirst />
          {reveal.error !== null && <ProblemMessage error={reveal.error} />}
          <div className="acts">
            <Button loading={reveal.isPending} disabled={reason.trim() === ''} onClick={() => reveal.mutate()}>
              Reveal the text
            </Button>
          </div>
        </>
      ) : (
        <>
          <Marking lesson={lesson} onChange={change} />
          <div className="acts">
            <Button variant="light" loading={trial.isPending} onClick={() => trial.mutate()}>
              Try it on all kept messages
            </Button>
          </div>
          {trial.error !== null && <ProblemMessage error={trial.error} />}
          {trial.data !== undefined && <Tried tried={trial.data} />}
        </>
      )}
    </ActButton>
  )
}

import { Button, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import type { Timeline } from '../../../../src/operations/payments.ts'
import { api } from '../../api/client.ts'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'
import { typed } from '../../parts/typed.ts'

/** What people wrote about a payment, and a field for more. */
export const PaymentNotes = ({ payment }: { readonly payment: Timeline }) => {
  const [text, setText] = useState('')
  const queries = useQueryClient()
  const mayWrite = useMay('support')
  const add = useMutation({
    mutationFn: () => api.post(`/payments/${payment.merchantId}/${payment.id}/notes`, { text: text.trim() }),
    onSuccess: async () => {
      setText('')
      await queries.invalidateQueries({ queryKey: ['payments', 'timeline'] })
    },
  })
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (text.trim() !== '') add.mutate()
  }
  return (
    <>
      {payment.notes.length === 0 && <p className="quiet">Nobody has written about it.</p>}
      <ul className="notes">
        {payment.notes.map((note) => (
          <li key={`${note.at} ${note.text}`}>
            <p>{note.text}</p>
            <p className="quiet small">
              {note.by}, <Moment at={note.at} show="relative" />
            </p>
          </li>
        ))}
      </ul>
      {mayWrite && (
        <form className="note-form" onSubmit={onSubmit}>
          <Textarea
            aria-label="Note"
            placeholder="Write a note for your colleagues"
            maxLength={1000}
            autosize
            {...typed(text, setText)}
          />
          <Button type="submit" variant="default" loading={add.isPending} disabled={text.trim() === ''}>
            Add
          </Button>
        </form>
      )}
      {add.error !== null && <ProblemMessage error={add.error} />}
    </>
  )
}

import { Button, type ButtonProps, Group, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type SyntheticEvent, useState } from 'react'
import { ProblemMessage } from './problem-message.tsx'

type Props<Answer> = {
  /** The label of the button; with "…" if a dialog asks first. Or another element that opens the dialog. */
  readonly text: string | ((open: () => void) => ReactNode)
  /** The title of the dialog. */
  readonly title: string
  /** The label of the confirming button: the verb and its object, such as "Pause the requisite". */
  readonly confirm: string
  /** What will happen, and the fields to fill in. */
  readonly children?: ReactNode
  readonly run: () => Promise<Answer>
  /** First parts of the keys of the queries to read again. */
  readonly changes: readonly string[]
  /** Whether the fields are filled in. */
  readonly isReady?: boolean
  /** The message afterwards. Default: none. */
  readonly done?: string | ((answer: Answer) => string)
  /** Shown in the dialog instead of closing it, such as a token that is shown once. */
  readonly result?: (answer: Answer) => ReactNode
  readonly isGrave?: boolean
  readonly variant?: ButtonProps['variant']
  readonly leftSection?: ReactNode
  readonly onOpen?: () => void
  /** Called after the act, when the dialog is closed. */
  readonly onFinished?: () => void
  readonly size?: string | number
}

/** A button whose act is confirmed in a dialog, and which shows why if the service refuses it. */
export const ActButton = <Answer,>(props: Props<Answer>) => {
  const { text, title, confirm, children, run, changes, isReady = true, done, result, isGrave = false } = props
  const [isOpen, setOpen] = useState(false)
  const queries = useQueryClient()
  const act = useMutation({
    mutationFn: run,
    onSuccess: async (answer) => {
      if (result === undefined) setOpen(false)
      if (done !== undefined) notifications.show({ message: typeof done === 'string' ? done : done(answer) })
      await Promise.all(changes.map((name) => queries.invalidateQueries({ queryKey: [name] })))
    },
  })
  const open = (): void => {
    act.reset()
    props.onOpen?.()
    setOpen(true)
  }
  const close = (): void => {
    setOpen(false)
    if (act.isSuccess) props.onFinished?.()
  }
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (isReady && !act.isPending) act.mutate()
  }
  const shown = act.data !== undefined && result !== undefined ? result(act.data) : undefined
  return (
    <>
      {typeof text === 'string' ? (
        <Button variant={props.variant ?? 'default'} leftSection={props.leftSection} onClick={open}>
          {text}
        </Button>
      ) : (
        text(open)
      )}
      <Modal
        opened={isOpen}
        onClose={close}
        title={title}
        size={props.size ?? 'md'}
        closeButtonProps={{ 'aria-label': 'Close' }}
        // Over a drawer this is the second header of a dialog, and a page has only one banner.
        attributes={{ header: { role: 'none' }, ...(isOpen ? {} : { content: { 'data-closing': true } }) }}
      >
        {shown ?? (
          <form className="act-form" onSubmit={onSubmit}>
            {children}
            {act.error !== null && <ProblemMessage error={act.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Close
              </Button>
              <Button type="submit" {...(isGrave ? { color: 'red' } : {})} loading={act.isPending} disabled={!isReady}>
                {confirm}
              </Button>
            </Group>
          </form>
        )}
      </Modal>
    </>
  )
}

import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'

const shownForMs = 60_000

/** What a bank has written: the audit keeps who has seen it, and why. */
export const revealText = async (messageId: string, reason: string): Promise<string> =>
  (await api.post<{ readonly text: string }>(`/phone-messages/${messageId}/reveal`, { reason: reason.trim() })).text

/** Reveals for a while what a bank has written, with a reason. The text is kept only here. */
export const RevealText = ({ messageId }: { readonly messageId: string }) => {
  const [text, setText] = useState<string>()
  const [reason, setReason] = useState('')
  const hide = (): void => setText(undefined)
  useEffect(() => {
    if (text === undefined) return undefined
    const timer = setTimeout(hide, shownForMs)
    return () => clearTimeout(timer)
  }, [text])
  if (text !== undefined)
    return (
      <section className="effect revealed-text" aria-live="polite">
        <p className="bank-text">{text}</p>
        <Button variant="default" onClick={hide}>
          Hide the text
        </Button>
      </section>
    )
  return (
    <ActButton
      text="Reveal the text…"
      title="Reveal what the bank has written"
      confirm="Reveal it"
      onOpen={() => setReason('')}
      isReady={reason.trim() !== ''}
      run={async () => setText(await revealText(messageId, reason))}
      changes={[]}
    >
      <p className="quiet">
        It is shown for {shownForMs / 1000} seconds. The audit keeps your name and the reason, not the text.
      </p>
      <ReasonField value={reason} onChange={setReason} isFirst />
    </ActButton>
  )
}

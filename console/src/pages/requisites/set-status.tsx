import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { setStatuses } from '../../api/requisites.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { typed } from '../../parts/typed.ts'

type Props = {
  readonly ids: readonly string[]
  /** The name of the requisite; not used for several. */
  readonly name: string
  readonly to: 'active' | 'paused'
  readonly onDone?: () => void
}

/** A button that pauses or resumes one requisite or several, with a reason. */
export const SetStatus = ({ ids, name, to, onDone }: Props) => {
  const [reason, setReason] = useState('')
  const verb = to === 'paused' ? 'Pause' : 'Resume'
  const what = ids.length === 1 ? name : `${ids.length} requisites`
  return (
    <ActButton
      text={`${verb}…`}
      title={`${verb} ${what}?`}
      confirm={verb}
      leftSection={<Icon name={to === 'paused' ? 'pause' : 'play'} size={13} />}
      run={() => setStatuses(ids, to, reason.trim())}
      changes={['requisites', 'overview']}
      done={({ requisites }) => {
        const refused = requisites.filter(({ state }) => state === 'refused')
        setReason('')
        onDone?.()
        const done = `${to === 'paused' ? 'Paused' : 'Resumed'}: ${requisites.length - refused.length}`
        return refused.length === 0 ? done : `${done}, refused: ${refused.length}. ${refused[0]?.message ?? ''}`
      }}
    >
      <p>
        {to === 'paused'
          ? 'No new payment gets it until it is resumed. Its open payments continue, and money for them is still credited.'
          : 'New payments get it again, and its consecutive failures are counted from zero.'}
      </p>
      <Textarea
        label="Reason"
        description="For the audit"
        maxLength={500}
        autosize
        data-autofocus
        {...typed(reason, setReason)}
      />
    </ActButton>
  )
}

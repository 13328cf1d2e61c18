import { ActionIcon } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { RevealedNumber } from '../../../src/operations/reveals.ts'
import { api } from '../api/client.ts'
import { useMay } from '../session.ts'
import { ActButton } from './act-button.tsx'
import { CopyText } from './copy-text.tsx'
import { Icon } from './icon.tsx'
import { ReasonField } from './reason-field.tsx'

const shownForMs = 30_000

type Props = {
  readonly masked: string
  /** Whose number it is, such as `the sender`. */
  readonly of: string
  /** Path of the requisite, transfer or payment that has the number. */
  readonly path: string
}

/** The number is kept only here, and not in the cache of queries. */
const Revealable = ({ masked, of, path }: Props) => {
  const [number, setNumber] = useState<string>()
  const [reason, setReason] = useState('')
  const hide = (): void => setNumber(undefined)
  useEffect(() => {
    if (number === undefined) return undefined
    const timer = setTimeout(hide, shownForMs)
    return () => clearTimeout(timer)
  }, [number])
  return (
    <span className="masked-number">
      <span className="figures" aria-live="polite">
        {number === undefined ? masked : <CopyText text={number} />}
      </span>
      <ActButton
        text={(open) => (
          <ActionIcon
            size={24}
            onClick={number === undefined ? open : hide}
            aria-label={`${number === undefined ? 'Reveal' : 'Hide'} the number of ${of}`}
          >
            <Icon name={number === undefined ? 'eye' : 'eye-off'} size={14} />
          </ActionIcon>
        )}
        title={`Reveal the number of ${of}`}
        confirm="Reveal it"
        onOpen={() => setReason('')}
        isReady={reason.trim() !== ''}
        run={async () => {
          const revealed = await api.post<RevealedNumber>(`${path}/reveal`, { reason: reason.trim() })
          setNumber(revealed.number)
        }}
        changes={[]}
      >
        <p className="quiet">
          It is shown for {shownForMs / 1000} seconds. The audit keeps your name and the reason, not the number.
        </p>
        <ReasonField value={reason} onChange={setReason} isFirst />
      </ActButton>
    </span>
  )
}

/** A masked number; whose role allows it may reveal it for a while, with a reason. */
export const MaskedNumber = (props: Props) =>
  // Another number begins masked.
  useMay('reveal') ? <Revealable key={props.path} {...props} /> : <span className="figures">{props.masked}</span>

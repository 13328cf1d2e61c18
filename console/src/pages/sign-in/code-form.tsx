import { Anchor, Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { auth } from '../../api/auth.ts'
import { useAction } from './use-action.ts'
import { typed } from '../../parts/typed.ts'
import { say } from '../../language.ts'

type Props = { readonly onVerified: () => void; readonly button?: string; readonly mayRecover?: boolean }

/** Asks for a code of the authenticator, or for one of the recovery codes. */
export const CodeForm = ({ onVerified, button = 'Continue', mayRecover = true }: Props) => {
  const [code, setCode] = useState('')
  const [isRecovery, setRecovery] = useState(false)
  const { isBusy, error, onSubmit } = useAction(async () => {
    const given = code.replace(/\s/g, '')
    await (isRecovery ? auth.verifyRecoveryCode(given) : auth.verifyCode(given))
    onVerified()
  })
  return (
    <form onSubmit={onSubmit} className="sign-in-form">
      <TextInput
        key={isRecovery ? 'recovery' : 'code'}
        label={isRecovery ? 'Recovery code' : 'Code of your authenticator'}
        description={isRecovery ? 'Each of them works once.' : 'Six digits that change every half minute.'}
        {...typed(code, setCode)}
        error={error && say(error.message)}
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        size="md"
        required
        withAsterisk={false}
        data-autofocus
        autoFocus
      />
      <Button type="submit" size="sm" loading={isBusy}>
        {button}
      </Button>
      {mayRecover && (
        <Anchor component="button" type="button" size="sm" onClick={() => setRecovery(!isRecovery)}>
          {isRecovery ? 'Use the authenticator' : 'Use a recovery code'}
        </Anchor>
      )}
    </form>
  )
}

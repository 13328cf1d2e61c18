import { Button, Divider, PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { auth, knowsPasskeys, type NextStep } from '../../api/auth.ts'
import { queryClient } from '../../api/query-client.ts'
import { CodeForm } from './code-form.tsx'
import { SetUpFactor } from './set-up-factor.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { useAction } from './use-action.ts'
import { typed } from '../../parts/typed.ts'
import { say } from '../../language.ts'

const finish = (): void => void queryClient.invalidateQueries()

type AfterPassword = { readonly step: NextStep; readonly password: string; readonly onDone: () => void }

/** The second factor: its code, or its first setup. */
export const SecondFactor = ({ step, password, onDone }: AfterPassword) =>
  step === 'set-up' ? (
    <SetUpFactor password={password} onDone={onDone} />
  ) : (
    <SignInFrame title="Confirm that it is you">
      <CodeForm onVerified={onDone} />
    </SignInFrame>
  )

/** `isUnfinished`: the password was right, but the account has no second factor yet. */
type Props = { readonly isUnfinished: boolean }

/** Signs somebody in: a password or a passkey, and then the second factor. */
export const SignIn = ({ isUnfinished }: Props) => {
  const [step, setStep] = useState<NextStep>()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const byPassword = useAction(async () => setStep(await auth.signIn(email, password)))
  const byPasskey = useAction(async () => setStep(await auth.signInWithPasskey()))
  const next = isUnfinished ? 'set-up' : step
  if (next !== undefined) return <SecondFactor step={next} password={password} onDone={finish} />
  return (
    <SignInFrame title="Sign in">
      <form onSubmit={byPassword.onSubmit} className="sign-in-form">
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username webauthn"
          size="md"
          {...typed(email, setEmail)}
          required
          withAsterisk={false}
          autoFocus
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          size="md"
          {...typed(password, setPassword)}
          error={byPassword.error && say(byPassword.error.message)}
          required
          withAsterisk={false}
        />
        <Button type="submit" size="sm" loading={byPassword.isBusy}>
          Sign in
        </Button>
      </form>
      {knowsPasskeys && (
        <>
          <Divider label={say('or')} my="sm" />
          <Button variant="default" size="sm" fullWidth loading={byPasskey.isBusy} onClick={byPasskey.run}>
            Sign in with a passkey
          </Button>
          {byPasskey.error !== undefined && (
            <p className="sign-in-error" role="alert">
              {say(byPasskey.error.message)}
            </p>
          )}
        </>
      )}
      <p className="quiet small">
        No account, or cannot sign in? Ask an owner for a link: <code>payin operators invite</code>.
      </p>
    </SignInFrame>
  )
}

import { Button, CopyButton, PasswordInput } from '@mantine/core'
import { useState } from 'react'
import { auth, type NewFactor } from '../../api/auth.ts'
import { QrCode } from '../../parts/qr-code.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { CodeForm } from './code-form.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import { useAction } from './use-action.ts'
import { typed } from '../../parts/typed.ts'
import { say } from '../../language.ts'

const Factor = ({ factor, onDone }: { readonly factor: NewFactor; readonly onDone: () => void }) => {
  const secret = new URL(factor.totpURI).searchParams.get('secret') ?? ''
  const codes = factor.backupCodes.join('\n')
  return (
    <ol className="factor-steps">
      <li>
        <h2>Scan this with an authenticator app</h2>
        <QrCode text={factor.totpURI} label="QR code for the authenticator" />
        <p className="quiet small">
          Or type the key: <CopyText text={secret} />
        </p>
      </li>
      <li>
        <h2>Keep the recovery codes</h2>
        <p className="quiet small">Each signs you in once if you lose the app. They are not shown again.</p>
        <pre className="factor-codes">{codes}</pre>
        <CopyButton value={codes}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy the codes'}
            </Button>
          )}
        </CopyButton>
      </li>
      <li>
        <h2>Enter the code that the app shows</h2>
        <CodeForm onVerified={onDone} button="Finish" mayRecover={false} />
      </li>
    </ol>
  )
}

type Props = { readonly password?: string; readonly onDone: () => void }

/** Sets up the second factor of a new account, without which it can do nothing. */
export const SetUpFactor = ({ password: given = '', onDone }: Props) => {
  const [password, setPassword] = useState(given)
  const [factor, setFactor] = useState<NewFactor>()
  const { isBusy, error, onSubmit } = useAction(async () => setFactor(await auth.newFactor(password)))
  return (
    <SignInFrame title="Set up your second factor">
      {factor === undefined ? (
        <form onSubmit={onSubmit} className="sign-in-form">
          <p className="quiet">
            Every sign-in asks for a code of an authenticator app, such as Aegis, 1Password or Google Authenticator.
          </p>
          {given === '' && (
            <PasswordInput
              label="Your password once more"
              autoComplete="current-password"
              size="md"
              {...typed(password, setPassword)}
              required
              withAsterisk={false}
            />
          )}
          {error !== undefined && (
            <p className="sign-in-error" role="alert">
              {say(error.message)}
            </p>
          )}
          <Button type="submit" size="sm" loading={isBusy}>
            Set up
          </Button>
        </form>
      ) : (
        <Factor factor={factor} onDone={onDone} />
      )}
    </SignInFrame>
  )
}

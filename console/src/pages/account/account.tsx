import { useQuery } from '@tanstack/react-query'
import { auth } from '../../api/auth.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { LanguageField } from './language-field.tsx'
import { useSession } from '../../session.ts'
import { Passkeys } from './passkeys.tsx'
import { ChangePassword, NewRecoveryCodes, RenewAuthenticator } from './password-and-codes.tsx'
import { Sessions } from './sessions.tsx'
import { say } from '../../language.ts'

const changedBy = (isOfMerchant: boolean): string =>
  isOfMerchant
    ? 'The operator of the service can change what you may do.'
    : 'An owner can change your role on the Team page.'

/** The person's own account: how to sign in, and where they are signed in. */
export const Account = () => {
  const session = useSession()
  const { role, merchant } = session.state === 'signed-in' ? session.person : {}
  const { data } = useQuery({ queryKey: ['account', 'session'], queryFn: auth.ownSession })
  return (
    <>
      <PageHead title="Your account" />
      <div className="settings-grid">
        <section className="panel settings" aria-label="You">
          <header>
            <h2>You</h2>
          </header>
          <Facts>
            <Fact name="Name">{data?.user.name ?? '…'}</Fact>
            <Fact name="E-mail">{data?.user.email ?? '…'}</Fact>
            <Fact name="Role">{merchant === undefined ? role && say(role) : `member of ${merchant.name}`}</Fact>
          </Facts>
          <LanguageField />
          <p className="quiet small">
            Notes and the audit use your name, so it cannot be changed. {changedBy(merchant !== undefined)}
          </p>
        </section>
        <section className="panel settings" aria-label="Password and second factor">
          <header>
            <h2>Password and second factor</h2>
          </header>
          <p className="quiet">
            Every sign-in asks for a code of your authenticator, or for one of the recovery codes. If you lose both, ask
            an owner to remove the second factor.
          </p>
          <div className="acts">
            <ChangePassword />
            <RenewAuthenticator />
            <NewRecoveryCodes />
          </div>
        </section>
        <Passkeys />
        <Sessions />
      </div>
    </>
  )
}

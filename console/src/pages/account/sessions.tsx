import { useQuery } from '@tanstack/react-query'
import { auth } from '../../api/auth.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useLive } from '../../live.ts'
import { deviceName } from './device-name.ts'

/** Where the person is signed in, with a button to sign out there. */
export const Sessions = () => {
  const { refetchInterval } = useLive()
  const own = useQuery({ queryKey: ['account', 'session'], queryFn: auth.ownSession })
  const { data = [], error } = useQuery({
    queryKey: ['account', 'sessions'],
    queryFn: auth.sessions,
    refetchInterval: refetchInterval && refetchInterval * 3,
  })
  const sessions = data.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
  return (
    <section className="panel settings" aria-label="Sessions">
      <header>
        <h2>Where you are signed in</h2>
        {sessions.length > 1 && (
          <ActButton
            text="End all others…"
            title="End all other sessions?"
            confirm="End all others"
            run={auth.endOtherSessions}
            changes={['account']}
            done="The other sessions have ended"
            isGrave
          >
            <p>Whoever uses them must sign in again. You stay signed in here.</p>
          </ActButton>
        )}
      </header>
      {error !== null && <ProblemMessage error={error} />}
      <ul className="plain-rows">
        {sessions.map(({ id, userAgent, ipAddress, createdAt, updatedAt }) => (
          <li key={id}>
            <span className="plain-about">
              <span className="strong">
                {deviceName(userAgent)} {id === own.data?.session.id && <Badge tone="good">here</Badge>}
              </span>
              <span className="quiet small">
                {ipAddress || 'no address'} · since <Moment at={createdAt} /> · last seen{' '}
                <Moment at={updatedAt} show="relative" />
              </span>
            </span>
            {own.data && id !== own.data.session.id && (
              <ActButton
                text="End…"
                title={`End the session of ${deviceName(userAgent)}?`}
                confirm="End the session"
                run={() => auth.endSession(id)}
                changes={['account']}
                done="The session has ended"
              >
                <p>Whoever uses it must sign in again. If that is not you, also change your password.</p>
              </ActButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

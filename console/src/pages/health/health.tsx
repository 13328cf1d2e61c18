import './health.css'
import { Button, Skeleton, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DiagnosisAnswer, InstallationAnswer } from '../../../../src/operations/installation.ts'
import type { RateAnswer } from '../../../../src/operations/rates.ts'
import { api } from '../../api/client.ts'
import { useLive, useLiveQuery } from '../../live.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { RateBadge } from '../rates/rate-badge.tsx'
import { typed } from '../../parts/typed.ts'
import { say } from '../../language.ts'
import { formatNumber } from '../../money.ts'

/** A size in a readable unit. */
const sizeText = (bytes: number): string => {
  const inLength = (length: number): string => formatNumber((bytes / length).toFixed(bytes < 1e8 ? 1 : 0))
  return bytes < 1e9 ? `${inLength(1e6)} MB` : `${inLength(1e9)} GB`
}

const longQueueMs = 60_000

const Queues = ({ queues }: Pick<InstallationAnswer, 'queues'>) => (
  <section className="panel settings" aria-label="Queues">
    <h2>Queues</h2>
    <ul className="plain-rows">
      {queues.map(({ name, waiting, oldestAt }) => (
        <li key={name}>
          <span className="strong">{say(name)}</span>
          <span className="queue-state">
            {oldestAt !== undefined && (
              <span className="quiet small">
                the oldest is due since <Moment at={oldestAt} show="relative" />
              </span>
            )}
            {waiting === 0 ? (
              <Badge tone="good">empty</Badge>
            ) : (
              <Badge tone={Date.now() - Date.parse(oldestAt ?? '') > longQueueMs ? 'bad' : 'live'}>
                {waiting >= 10_000 ? '10 000 or more' : String(waiting)}
              </Badge>
            )}
          </span>
        </li>
      ))}
    </ul>
    <p className="quiet small">
      Work that is due and waits for a job. If a queue grows, its job fails or does not run.
    </p>
  </section>
)

const Service = ({ service, migrations, processes }: InstallationAnswer) => (
  <section className="panel settings" aria-label="Versions and processes">
    <h2>Versions and processes</h2>
    <Facts>
      <Fact name="Payin">{service.version}</Fact>
      <Fact name="Node.js">{service.node}</Fact>
      <Fact name="This process">
        {service.roles.map(say).join(', ')}
        <span className="quiet small">
          since <Moment at={service.startedAt} />, {sizeText(service.memory)}
        </span>
      </Fact>
      <Fact name="Migrations">
        {migrations.applied}
        <span className="quiet small">{migrations.newest}</span>
      </Fact>
    </Facts>
    <ul className="plain-rows">
      {processes.map(({ host, name, instance, connections }) => (
        <li key={`${host} ${name} ${instance}`}>
          <span>{[name, instance].filter(Boolean).join(', ')}</span>
          <span className="quiet small">
            {host}, {connections === 1 ? '1 connection' : `${connections} connections`}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

const Database = ({ database, disk }: InstallationAnswer) => (
  <section className="panel settings" aria-label="Database and disk">
    <header>
      <h2>Database and disk</h2>
      {database.isWritable ? <Badge tone="good">writable</Badge> : <Badge tone="bad">read-only</Badge>}
    </header>
    <Facts>
      <Fact name="Engine">
        {say(database.engine)} {database.version}
      </Fact>
      <Fact name="Size">{sizeText(database.size)}</Fact>
      <Fact name="Connections">{database.connections}</Fact>
      {disk !== undefined && (
        <Fact name="Disk of the data directory">
          {sizeText(disk.free)} free
          <span className="quiet small">
            of {sizeText(disk.total)}, {Math.round((1 - disk.free / disk.total) * 100)}% used
          </span>
        </Fact>
      )}
    </Facts>
  </section>
)

const Rates = () => {
  const { refetchInterval } = useLive()
  const { data = [] } = useQuery({
    queryKey: ['rates', 'health'],
    queryFn: async () => (await api.get<{ rates: RateAnswer[] }>('/rates')).rates,
    refetchInterval: refetchInterval && refetchInterval * 3,
  })
  return (
    <section className="panel settings" aria-label="Rates">
      <h2>Rates</h2>
      {data.length === 0 && (
        <p className="quiet">
          No rate is set: only payments to merchants that are credited in their currency can be created.
        </p>
      )}
      <ul className="plain-rows">
        {data.map(({ currency, price, source, createdAt, usable }) => (
          <li key={currency}>
            <span className="strong figures">
              {currency.toUpperCase()} {formatNumber(price)}
            </span>
            <span className="queue-state">
              <span className="quiet small">
                {source}, <Moment at={createdAt} show="relative" />
              </span>
              <RateBadge rate={{ usable, source }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Invariants = () => {
  const check = useMutation({ mutationFn: () => api.get<DiagnosisAnswer>('/doctor') })
  const { data, error, isPending } = check
  const broken = data?.checks.filter((each) => each.broken > 0) ?? []
  return (
    <section className="panel settings" aria-label="Invariants">
      <header>
        <h2>Invariants</h2>
        <Button variant="default" loading={isPending} onClick={() => check.mutate()}>
          Check them all
        </Button>
      </header>
      <p className="quiet">
        Rules that the data must always meet. This check reads the whole database; alerts run it every six hours.
      </p>
      {error !== null && <ProblemMessage error={error} />}
      {data?.healthy && (
        <p role="status">
          <Badge tone="good">{`all ${data.checks.length} hold`}</Badge>
        </p>
      )}
      <ul className="plain-rows">
        {broken.map(({ name, broken: rows, examples }) => (
          <li key={name}>
            <span className="plain-about">
              <span className="strong">{name}</span>
              <span className="quiet small">{examples.join('; ')}</span>
            </span>
            <Badge tone="bad">{`${rows} rows`}</Badge>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Settings = ({ settings }: Pick<InstallationAnswer, 'settings'>) => {
  const [text, setText] = useState('')
  const found = settings.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  return (
    <section className="panel settings all-settings" aria-label="Settings">
      <header>
        <h2>Settings in force</h2>
        <TextInput aria-label="Find a setting" placeholder="Find a setting" {...typed(text, setText)} />
      </header>
      <dl className="setting-list">
        {found.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{value === '' ? <span className="quiet">–</span> : value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** How the installation runs. */
export const Health = () => {
  const { data, error, refetch } = useLiveQuery({
    queryKey: ['installation'],
    queryFn: () => api.get<InstallationAnswer>('/installation'),
  })
  return (
    <>
      <PageHead title="Health" />
      {data === undefined && error !== null && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={300} radius={10} role="status" aria-label="Loading" />}
      {data !== undefined && (
        <div className="settings-grid">
          <Queues queues={data.queues} />
          <Database {...data} />
          <Rates />
          <Invariants />
          <Service {...data} />
          {data.settings.length > 0 && <Settings settings={data.settings} />}
        </div>
      )}
    </>
  )
}

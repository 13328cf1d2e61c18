import { Button, Skeleton, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { MerchantAnswer } from '../../../../src/operations/merchants.ts'
import { merchantProfile } from '../../api/merchants.ts'
import { useLive } from '../../live.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Branding } from './branding.tsx'
import { Destinations } from './destinations.tsx'
import { Endpoints } from './endpoints.tsx'
import { MerchantLinks } from './merchant-links.tsx'
import { MerchantOverview } from './merchant-overview.tsx'
import { MerchantRequests } from './merchant-requests.tsx'
import { MerchantTerms } from './terms.tsx'
import { Tokens } from './tokens.tsx'
import './merchants.css'

const route = getRouteApi('/inside/merchants/$merchantId')

const tabs = [
  ['overview', 'Overview', MerchantOverview],
  ['terms', 'Terms and fees', MerchantTerms],
  ['destinations', 'Destinations', Destinations],
  ['tokens', 'Tokens', Tokens],
  ['endpoints', 'Notifications', Endpoints],
  ['links', 'Payment links', MerchantLinks],
  ['requests', 'Requests', MerchantRequests],
  ['branding', 'Branding', Branding],
] as const

/** One merchant, by tabs. */
export const Merchant = () => {
  const { merchantId } = route.useParams()
  const { tab: wanted } = route.useSearch()
  const tab = tabs.find(([value]) => value === wanted)?.[0] ?? 'overview'
  const navigate = useNavigate()
  const { refetchInterval } = useLive()
  const { data, error, refetch } = useQuery({
    ...merchantProfile(merchantId),
    refetchInterval: refetchInterval && refetchInterval * 4,
  })
  if (data === undefined)
    return error === null ? (
      <Skeleton height={300} radius={10} role="status" aria-label="Loading" />
    ) : (
      <ProblemMessage error={error} onRetry={() => void refetch()} />
    )
  return (
    <>
      <PageHead
        title={data.name}
        about={
          <span className="head-badges">
            <StatusBadge of={MerchantAnswer.properties.mode} word={data.mode} />
            <StatusBadge of={MerchantAnswer.properties.status} word={data.status} />
          </span>
        }
      >
        <Button variant="default" component={Link} to="/merchants">
          All merchants
        </Button>
      </PageHead>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(chosen) =>
          void navigate({
            to: '/merchants/$merchantId',
            params: { merchantId },
            search: { tab: chosen === 'overview' ? undefined : (chosen ?? undefined) },
            replace: true,
          })
        }
      >
        <Tabs.List>
          {tabs.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([value, , Panel]) => (
          <Tabs.Panel key={value} value={value} className="tab">
            <Panel merchant={data} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

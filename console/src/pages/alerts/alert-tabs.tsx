import { PageTabs } from '../../parts/page-tabs.tsx'

/** The pages about alerts. */
export const AlertTabs = () => (
  <PageTabs
    label="Alerts"
    tabs={[
      { to: '/alerts', name: 'Incidents' },
      { to: '/alerts/rules', name: 'Rules' },
      { to: '/alerts/channels', name: 'Channels' },
    ]}
  />
)

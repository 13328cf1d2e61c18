import { PageTabs } from '../../parts/page-tabs.tsx'

/** The pages about risk. */
export const RiskTabs = () => (
  <PageTabs
    label="Risk"
    tabs={[
      { to: '/risk', name: 'Decisions' },
      { to: '/risk/blocks', name: 'Blocked payers' },
      { to: '/risk/rules', name: 'Limits' },
    ]}
  />
)

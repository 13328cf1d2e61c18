import { Popover } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { ownTenants } from '../api/tenants.ts'
import { Icon } from '../parts/icon.tsx'
import { addressInTenant, basePath, tenant } from '../tenant.ts'
import { areas } from './navigation.ts'

/**
 * The open page of the navigation, which another tenant opens, too. What is open on that page belongs to this tenant
 * alone.
 */
const usePagePath = (): string => {
  const { pathname } = useLocation()
  const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : pathname
  return areas.flatMap(({ pages }) => pages).find((page) => page.path === path)?.path ?? '/'
}

/** Shows the tenant of the pages, and the person's others; nothing if there is only `main`. */
export const TenantSwitch = ({ className }: { readonly className: string }) => {
  const path = usePagePath()
  const { data = [] } = useQuery(ownTenants)
  if (data.length < 2) {
    const [only] = data
    return only === undefined || only === 'main' ? null : <p className={`${className} tenant-name cut`}>{only}</p>
  }
  return (
    // Links rather than a menu: another tenant is another page, which may be opened in a new tab.
    <Popover position="bottom-start" shadow="md" width={232} withinPortal={false} trapFocus>
      <Popover.Target>
        <button type="button" className={`${className} tenant-switch`} aria-label={`Tenant: ${tenant}`}>
          <span className="cut">{tenant}</span>
          <Icon name="switch" size={14} />
        </button>
      </Popover.Target>
      <Popover.Dropdown className="tenant-list">
        {data.map((name) => (
          <a key={name} href={addressInTenant(name, path)} {...(name === tenant && { 'aria-current': 'true' })}>
            {name}
            {name === tenant && <Icon name="check" size={14} />}
          </a>
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}

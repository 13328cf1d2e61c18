import { ActionIcon, CopyButton } from '@mantine/core'
import { Icon } from './icon.tsx'

/** A long identifier that is cut off on the screen and copied whole. */
export const CopyText = ({ text }: { readonly text: string }) => (
  <span className="copy-text">
    <code className="cut" title={text}>
      {text}
    </code>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon size="xs" onClick={copy} aria-label={copied ? 'Copied' : 'Copy'}>
          <Icon name={copied ? 'check' : 'copy'} size={13} />
        </ActionIcon>
      )}
    </CopyButton>
  </span>
)

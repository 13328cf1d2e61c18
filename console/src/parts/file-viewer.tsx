import { Button } from '@mantine/core'
import { useState } from 'react'
import { addressOf } from '../api/client.ts'
import { Icon } from './icon.tsx'
import { Moment } from './moment.tsx'
import { personName } from './field-values.tsx'

/** A file that somebody sent as evidence. */
export type SentFile = {
  readonly id: string
  /** The path of its content in the operator API. */
  readonly path: string
  readonly contentType: string
  readonly size: number
  readonly by: string
  readonly receivedAt: string
}

const names: Readonly<Record<string, string>> = {
  'image/png': 'PNG picture',
  'image/jpeg': 'JPEG picture',
  'image/webp': 'WebP picture',
  'image/heic': 'HEIC photo',
  'application/pdf': 'PDF document',
}

/** The types that every browser shows. HEIC is downloaded, like documents. */
const shown: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp'])

const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

const SentFileLine = ({ file }: { readonly file: SentFile }) => {
  const [isShown, setShown] = useState(false)
  const address = addressOf(file.path)
  const name = names[file.contentType] ?? file.contentType
  return (
    <li className="sent-file">
      <Icon name="file" size={18} />
      <div className="sent-file-about">
        <span className="strong">{name}</span>
        <span className="quiet small">
          {sizeText(file.size)}, from {personName(file.by)}, <Moment at={file.receivedAt} />
        </span>
      </div>
      {shown.has(file.contentType) && (
        <Button variant="default" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
      )}
      <Button component="a" variant="default" href={address} download aria-label={`Download the ${name}`}>
        <Icon name="download" size={14} />
      </Button>
      {isShown && <img src={address} alt={`The ${name} that ${file.by} sent`} />}
    </li>
  )
}

/**
 * Files that were sent: pictures are shown here, documents downloaded. Reading one is recorded in the audit, so each
 * waits for a click.
 */
export const FileViewer = ({ files, empty }: { readonly files: readonly SentFile[]; readonly empty: string }) =>
  files.length === 0 ? (
    <p className="quiet">{empty}</p>
  ) : (
    <ul className="sent-files">
      {files.map((file) => (
        <SentFileLine key={file.id} file={file} />
      ))}
    </ul>
  )

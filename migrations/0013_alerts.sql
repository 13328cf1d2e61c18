-- Alerts to operators: the rules, what they found, and the messages about it.

-- What operators changed of the rules, and when each was last checked.
create table alert_rules (
  name text primary key,
  -- What differs from the rule's defaults.
  settings jsonb not null,
  checked_at timestamptz not null,
  -- The check under way: only the node that began the last one opens and closes incidents.
  check_id uuid not null
);

-- Ways by which alerts reach people.
create table alert_channels (
  id uuid primary key,
  name text not null check (char_length(name) >= 1 and char_length(name) <= 100),
  kind text not null check (kind in ('email', 'telegram', 'webhook')),
  target jsonb not null,
  -- The token of a Telegram bot, or what signs the calls of a webhook.
  secret_sealed text,
  quiet_hours jsonb,
  enabled boolean not null,
  created_at timestamptz not null,
  removed_at timestamptz,
  last_sent_at timestamptz,
  failing_since timestamptz,
  last_error text,
  constraint alert_channels_secret_by_kind check (removed_at is not null or (kind = 'email') = (secret_sealed is null)),
  constraint alert_channels_removed_is_off check (removed_at is null or not enabled)
);
create unique index alert_channels_name_once on alert_channels (name) where removed_at is null;

-- What rules found: open from the check that found it to the one that no longer does.
create table alert_incidents (
  id uuid primary key,
  rule text not null,
  -- The thing that it is about, such as `transfer:{id}`.
  subject text not null,
  summary text not null,
  command text not null,
  -- Since when the thing is as it is.
  since timestamptz not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by text,
  -- When it is reported again while it is open; null for never.
  remind_at timestamptz,
  constraint alert_incidents_closed_after_opened check (closed_at >= opened_at),
  constraint alert_incidents_acknowledged_whole check ((acknowledged_at is null) = (acknowledged_by is null))
);
-- An incident opens once, on any number of nodes.
create unique index alert_incidents_open_once on alert_incidents (rule, subject) where closed_at is null;

-- The outbox of alerts: a message for a channel, written with the change of the incidents that it is about.
create table alert_messages (
  id uuid primary key,
  channel_id uuid not null references alert_channels (id),
  state text not null check (state in ('pending', 'sent', 'failed', 'dropped')),
  -- Until it is due, further incidents join it.
  due_at timestamptz not null,
  attempts integer not null check (attempts >= 0),
  -- The node that sends it, and until when no other one may.
  leased_by uuid,
  leased_until timestamptz,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint alert_messages_finished check ((state = 'pending') = (finished_at is null)),
  constraint alert_messages_leased_whole check ((leased_by is null) = (leased_until is null))
);
create index alert_messages_due on alert_messages (due_at) where state = 'pending';
create index alert_messages_of_channel on alert_messages (channel_id) where state = 'pending';

-- The incidents that a message is about, in the words of its time.
create table alert_notices (
  message_id uuid not null references alert_messages (id),
  incident_id uuid not null references alert_incidents (id),
  kind text not null check (kind in ('opened', 'reminder', 'closed')),
  summary text not null,
  command text not null,
  at timestamptz not null,
  primary key (message_id, incident_id, kind)
);
-- Who was sent the beginning is sent the end.
create index alert_notices_of_incident on alert_notices (incident_id);

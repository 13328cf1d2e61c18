-- People of the console, how they sign in, and the audit of what every operator did.

-- People who sign in to the console, and what proves who they are. The authentication library reads and writes all
-- but invitations and lock-outs (src/engine/members/auth-tables.ts). A password is a hash, a second factor's secret and its
-- recovery codes are encrypted, a session's token is worth nothing without the signature of its cookie.
create table members (
  id uuid primary key,
  -- As the audit names them, and the tokens of operators in the settings.
  name text not null unique,
  email text not null unique,
  email_verified boolean not null,
  image text,
  role text not null,
  two_factor_enabled boolean not null default false,
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  merchant_id uuid,
  merchant_grant text,
  -- The language of the console, such as `ru`; null: that of the browser.
  language text,
  -- The actors who invited the member or reset its password or second factor: they and the member are no two persons.
  vouched_by text[] not null default '{}',
  -- When somebody last invited the member or reset its password or second factor; null: when it was created.
  vouched_at timestamptz,
  constraint members_of_merchant foreign key (merchant_id) references merchants (id),
  constraint members_email_lower check (email = lower(email)),
  -- An operator belongs to no merchant, and a member of a merchant is nothing else.
  constraint members_merchant_with_role
    check ((role = 'merchant') = (merchant_id is not null) and (role = 'merchant') = (merchant_grant is not null)),
  constraint members_language_code check (language ~ '^[a-z]{2}$'),
  constraint members_merchant_grant_known check (merchant_grant in ('read', 'write')),
  constraint members_role_known check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant'))
);

create table member_sessions (
  id uuid primary key,
  member_id uuid not null references members (id) on delete cascade,
  token text not null unique,
  expires_at timestamptz not null,
  -- When the member last proved with the second factor to be there.
  verified_at timestamptz,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index member_sessions_by_member on member_sessions (member_id);

create table member_credentials (
  id uuid primary key,
  member_id uuid not null references members (id) on delete cascade,
  account_id text not null,
  provider_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint member_credentials_member_id_provider_id_key unique (member_id, provider_id)
);

create table member_verifications (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index member_verifications_by_identifier on member_verifications (identifier);

create table member_second_factors (
  id uuid primary key,
  member_id uuid not null unique references members (id) on delete cascade,
  secret text not null,
  backup_codes text not null,
  verified boolean not null default true,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

create table member_passkeys (
  id uuid primary key,
  member_id uuid not null references members (id) on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);
create index member_passkeys_by_member on member_passkeys (member_id);

create table member_request_counts (
  id uuid primary key,
  key text not null unique,
  count integer not null,
  last_request bigint not null
);

-- A link that lets one person make an account, or set a new password for the account that it names; only the hash of
-- its token is kept.
create table member_invitations (
  token_hash text primary key,
  member_id uuid references members (id) on delete cascade,
  -- Empty where whoever accepts it says them.
  name text not null,
  email text not null,
  role text not null,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  merchant_id uuid,
  merchant_grant text,
  constraint member_invitations_of_merchant foreign key (merchant_id) references merchants (id),
  constraint member_invitations_merchant_with_role
    check ((role = 'merchant') = (merchant_id is not null) and (role = 'merchant') = (merchant_grant is not null)),
  constraint member_invitations_merchant_grant_known check (merchant_grant in ('read', 'write')),
  constraint member_invitations_role_known
    check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant'))
);

-- Failed sign-ins of an address, known or not.
create table member_lockouts (
  email_index text primary key,
  failures integer not null,
  since timestamptz not null,
  locked_until timestamptz
);

-- What operators did. Each entry carries the hash of the one before it, so that a removed or altered entry is detected.
create table audit_entries (
  sequence bigint primary key check (sequence >= 1),
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  details text not null,
  previous_hash text not null,
  hash text not null,
  -- The account or token with which somebody acted, and the session of the console.
  credential text,
  session_id uuid
);

-- The last entry; one row, locked by whoever appends.
create table audit_head (
  id integer primary key check (id = 1),
  sequence bigint not null,
  hash text not null
);
insert into audit_head (id, sequence, hash) values (1, 0, '');

import Connections
import Glibc
import TestSupport

/// A proxy of Debian that serves a daemon at its root and below `/rooms/`.
enum ReverseProxy: String, CaseIterable {
    case nginx, caddy, haproxy, apache2

    /// Whether all of them are installed.
    static var areInstalled: Bool {
        let programs: [String] = [
            "/usr/sbin/nginx", "/usr/bin/caddy", "/usr/sbin/haproxy", "/usr/sbin/apache2",
        ]
        return programs.allSatisfy { access($0, X_OK) == 0 }
    }

    /// Starts the proxy at a port of the loopback interface, with TLS unless `hasTLS` is false (nginx only). `upstream` is the port of
    /// the daemon. The folder has `server.pem` and `server.key`, and the proxy writes its files there.
    func start(at port: Int, upstream: Int, in folder: Folder, hasTLS: Bool = true) throws
        -> ChildProcess
    {
        let path = folder.path
        let command: [String]
        switch self {
        case .nginx:
            let file = folder.write("nginx.conf", Self.nginx(path, port, upstream, hasTLS))
            command = ["/usr/sbin/nginx", "-e", "stderr", "-p", path, "-c", file]
        case .caddy:
            let file = folder.write("Caddyfile", Self.caddy(path, port, upstream))
            command = [
                "/usr/bin/env", "HOME=\(path)", "/usr/bin/caddy", "run", "--config", file,
                "--adapter", "caddyfile",
            ]
        case .haproxy:
            _ = ShellCommand.run(
                "cat '\(path)/server.pem' '\(path)/server.key' >'\(path)/both.pem'")
            let file = folder.write("haproxy.cfg", Self.haproxy(path, port, upstream))
            command = ["/usr/sbin/haproxy", "-db", "-f", file]
        case .apache2:
            // The worker processes of Apache are those of another user.
            _ = ShellCommand.run("chmod 755 '\(path)'")
            let file = folder.write("apache.conf", Self.apache(path, port, upstream))
            command = ["/usr/sbin/apache2", "-DFOREGROUND", "-f", file]
        }
        let process = try ChildProcess(command, connecting: [2])
        // The proxies do not say alike that they listen.
        _ = ShellCommand.run(
            "for i in $(seq 1200); do nc -z 127.0.0.1 \(port) && break; sleep 0.05; done")
        return process
    }

    /// The lines of nginx that docs/network.md names.
    private static let nginxLines = """
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
        """

    private static func nginx(_ path: String, _ port: Int, _ upstream: Int, _ hasTLS: Bool)
        -> String
    {
        let tls = "ssl_certificate \(path)/server.pem; ssl_certificate_key \(path)/server.key;"
        return """
            daemon off; master_process off; pid \(path)/nginx.pid; error_log stderr;
            events { worker_connections 2000; }
            http {
                access_log off; client_body_temp_path \(path)/1; proxy_temp_path \(path)/2;
                fastcgi_temp_path \(path)/3; uwsgi_temp_path \(path)/4; scgi_temp_path \(path)/5;
                server {
                    listen 127.0.0.1:\(port)\(hasTLS ? " ssl" : ""); \(hasTLS ? tls : "")
                    location / { proxy_pass http://127.0.0.1:\(upstream); \(nginxLines) }
                    # As the ingress of Home Assistant, which strips the path and names it in a header.
                    location /rooms/ {
                        proxy_pass http://127.0.0.1:\(upstream)/; \(nginxLines)
                        proxy_set_header X-Ingress-Path /rooms;
                    }
                    # Without the lines that gamed needs.
                    location /bare/ { proxy_pass http://127.0.0.1:\(upstream)/; }
                }
            }
            """
    }

    private static func caddy(_ path: String, _ port: Int, _ upstream: Int) -> String {
        """
        {
            admin off
            auto_https off
            storage file_system \(path)/caddy
        }
        https://room.example:\(port) {
            bind 127.0.0.1
            tls \(path)/server.pem \(path)/server.key
            handle_path /rooms/* {
                reverse_proxy 127.0.0.1:\(upstream)
            }
            handle {
                reverse_proxy 127.0.0.1:\(upstream)
            }
        }

        """
    }

    private static func haproxy(_ path: String, _ port: Int, _ upstream: Int) -> String {
        """
        global
            maxconn 1000
        defaults
            mode http
            timeout connect 5s
            timeout client 60s
            timeout server 60s
        frontend web
            bind 127.0.0.1:\(port) ssl crt \(path)/both.pem alpn h2,http/1.1
            option forwardfor
            http-request set-header X-Forwarded-Proto https
            http-request replace-path ^/rooms/(.*) /\\1
            default_backend gamed
        backend gamed
            server gamed 127.0.0.1:\(upstream)

        """
    }

    private static func apache(_ path: String, _ port: Int, _ upstream: Int) -> String {
        let modules = ["mpm_event", "authz_core", "ssl", "proxy", "proxy_http", "headers"].map {
            "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
        }
        return
            (modules + [
                """
                ServerName room.example
                ServerRoot \(path)
                DefaultRuntimeDir \(path)
                PidFile \(path)/apache.pid
                ErrorLog \(path)/apache.log
                User www-data
                Group www-data
                Listen 127.0.0.1:\(port) https
                <VirtualHost *:\(port)>
                    SSLEngine on
                    SSLCertificateFile \(path)/server.pem
                    SSLCertificateKeyFile \(path)/server.key
                    ProxyPreserveHost On
                    RequestHeader set X-Forwarded-Proto https
                    ProxyPass /rooms/ http://127.0.0.1:\(upstream)/ flushpackets=on
                    ProxyPass / http://127.0.0.1:\(upstream)/ flushpackets=on
                </VirtualHost>

                """
            ]).joined(separator: "\n")
    }
}

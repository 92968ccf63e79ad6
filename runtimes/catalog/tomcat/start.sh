# Tomcat writes into CATALINA_BASE, so that lies under /tmp, the only place
# that a container may write to.
set -e
program=$(dirname "$0")
export CATALINA_BASE=/tmp/tomcat
mkdir -p "$CATALINA_BASE/conf" "$CATALINA_BASE/logs" "$CATALINA_BASE/temp" "$CATALINA_BASE/webapps/ROOT"
cp "$CATALINA_HOME/conf/web.xml" "$program/server.xml" "$CATALINA_BASE/conf/"
cp "$program/hello.txt" "$CATALINA_BASE/webapps/ROOT/"
cp "$program/hello.jsp" "$CATALINA_BASE/webapps/ROOT/index.jsp"
CATALINA_OPTS="-Dport=$PORT" exec "$CATALINA_HOME/bin/catalina.sh" run
